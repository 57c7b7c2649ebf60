"""Texts to token ids, as the model's own tokenizer makes them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer

from ipfs_accelerate.errors import InferenceError, ModelError
from ipfs_accelerate.tensors.arrays import numpy_dtype
from ipfs_accelerate.tensors.dtypes import by_onnx

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from tokenizers import Encoding

    from ipfs_accelerate.models.blocks import BlockStore
    from ipfs_accelerate.models.manifest import Manifest


_LATELY = 64
"""How many calls' inputs are kept."""
_SHORT = 10_000
"""Characters up to which they are: more than that is seldom given twice."""


class TextProcessors:
    """One processor for all models that take the same texts in the same way, as heads do."""

    def __init__(self, store: BlockStore) -> None:
        self._store = store
        self._made: dict[object, TextProcessor] = {}

    def of(self, manifest: Manifest) -> TextProcessor:
        """The model's processor."""
        ports = tuple((port.name, port.dtype) for port in manifest.inputs if port.name in _FIELDS)
        key = (manifest.tokenizer, manifest.max_length, ports)
        found = self._made.get(key)
        if found is None:
            found = self._made.setdefault(key, TextProcessor(manifest, self._store))
        return found


class TextProcessor:
    """Makes a text model's inputs; any number of threads may call it.

    Texts are encoded one by one. The tokenizer's own thread pool would save nothing on the few
    sentences of a call, and it warns on stderr in every process that is forked after its use.
    """

    def __init__(self, manifest: Manifest, store: BlockStore) -> None:
        if manifest.tokenizer is None:
            raise ModelError(
                f"The model {manifest.name} has no tokenizer, so it cannot take text.",
                hint="Give it named tensors instead: {"
                + ", ".join(f"{port.name!r}: ..." for port in manifest.inputs)
                + "}.",
            )
        self._tokenizer = _read_tokenizer(manifest.name, store.get(manifest.tokenizer.cid))
        padding = self._tokenizer.padding or {}
        self._pads = {"input_ids": padding.get("pad_id", 0), "attention_mask": 0}
        self._pads["token_type_ids"] = padding.get("pad_type_id", 0)
        self._left = padding.get("direction") == "left"
        known = [port for port in manifest.inputs if port.name in _FIELDS]
        self._names = [port.name for port in known]
        self._dtypes = {port.name: numpy_dtype(by_onnx(port.dtype).numpy) for port in known}
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        if manifest.max_length is not None:
            self._tokenizer.enable_truncation(manifest.max_length)
        self._lately = lru_cache(_LATELY)(self._made)

    def __call__(self, texts: str | Sequence[str]) -> dict[str, NDArray[np.integer[Any]]]:
        """Make the inputs for these texts, each row padded to the longest of them."""
        return self._made(tuple(_checked(texts)))

    def again(self, texts: str | Sequence[str]) -> Mapping[str, NDArray[np.integer[Any]]]:
        """The same, made once for texts that several models are given one after another."""
        checked = tuple(_checked(texts))
        return self._lately(checked) if sum(map(len, checked)) <= _SHORT else self._made(checked)

    def _made(self, texts: tuple[str, ...]) -> dict[str, NDArray[np.integer[Any]]]:
        encodings = [self._encode(text) for text in texts]
        length = max(len(encoding) for encoding in encodings)
        return {name: self._column(name, encodings, length) for name in self._names}

    def _column(
        self, name: str, encodings: list[Encoding], length: int
    ) -> NDArray[np.integer[Any]]:
        column = np.full((len(encodings), length), self._pads[name], self._dtypes[name])
        for row, encoding in zip(column, encodings, strict=True):
            start = length - len(encoding) if self._left else 0
            row[start : start + len(encoding)] = _FIELDS[name](encoding)
        column.flags.writeable = False
        return column

    def _encode(self, text: str) -> Encoding:
        try:
            return self._tokenizer.encode(text)
        except (TypeError, UnicodeError) as error:
            raise InferenceError(
                f"The text {text[:40]!r} cannot be encoded: it holds half of a character.",
                code="input_mismatch",
                hint="Give text without lone surrogates.",
            ) from error


_FIELDS: dict[str, Callable[[Encoding], list[int]]] = {
    "input_ids": lambda encoding: encoding.ids,
    "attention_mask": lambda encoding: encoding.attention_mask,
    "token_type_ids": lambda encoding: encoding.type_ids,
}


def _checked(texts: str | Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        return [texts]
    checked: list[Any] = list(texts)
    if not checked:
        raise InferenceError(
            "A call with an empty list of texts has nothing to compute.",
            code="input_mismatch",
            hint="Give at least one text.",
        )
    for number, text in enumerate(checked):
        if not isinstance(text, str):
            raise InferenceError(
                f"Item {number} of the texts is of type {type(text).__name__}; expected str.",
                code="input_mismatch",
                hint="Give text, or a dict of named tensors.",
            )
    return checked


def _read_tokenizer(name: str, data: bytes) -> Tokenizer:
    try:
        return Tokenizer.from_str(data.decode())
    except Exception as error:  # tokenizers raises no narrower class
        raise ModelError(
            f"The tokenizer of {name} cannot be read: {error}.",
            hint="Install the model's package again.",
        ) from error
