"""The tree of errors. Each says what happened, to what, and what to do next.

    AccelerateError
      ConfigError       an option, or a use that can't work (after a fork)
      BrowserError      a browser that is missing, or that ended or hung while starting
      TransportError    the port, the socket, or a token, Origin or Host that doesn't fit
      ProtocolError     bytes or messages that the wire does not allow
      PoolError         work that its worker, its deadline or its caller ended
      ModelError        a model that can't be found, read or loaded
      InferenceError    inputs that don't fit, or a run that failed
      TensorError       a handle, name or dtype that no tensor has

Codes, their class and whether a retry may help stand in spec/errors.json, which the SDK mirrors.
"""

from __future__ import annotations

from typing import Any, ClassVar


class AccelerateError(Exception):
    """The root of the tree: `code` is a key of spec/errors.json, `hint` says what to do next."""

    default_code: ClassVar[str] = "run_failed"
    retryable_codes: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint
        self.details = details or {}

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed unchanged."""
        return self.code in self.retryable_codes

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class ConfigError(AccelerateError):
    """An option that does not exist or does not fit, or a use that can't work."""

    default_code = "bad_option"


class BrowserError(AccelerateError):
    """A browser that is missing, or that ended or hung while starting."""

    default_code = "browser_failed"
    retryable_codes = frozenset({"browser_failed", "browser_timeout"})


class TransportError(AccelerateError):
    """The port, the socket, or a token, Origin or Host that does not fit."""

    default_code = "connection_lost"
    retryable_codes = frozenset({"connection_lost"})


class ProtocolError(AccelerateError):
    """Bytes or messages that the wire does not allow."""

    default_code = "bad_frame"


class PoolError(AccelerateError):
    """Work that its worker, its deadline or its caller ended."""

    default_code = "worker_lost"
    retryable_codes = frozenset({"worker_lost", "timeout"})


class ModelError(AccelerateError):
    """A model that can't be found, read or loaded."""

    default_code = "model_invalid"
    retryable_codes = frozenset({"model_not_loaded", "block_unavailable"})


class InferenceError(AccelerateError):
    """Inputs that do not fit, or a run that failed."""

    default_code = "run_failed"
    retryable_codes = frozenset({"out_of_memory"})


class TensorError(AccelerateError):
    """A handle, name or dtype that no tensor has."""

    default_code = "tensor_not_found"


CLASS_OF_CODE: dict[str, type[AccelerateError]] = {
    "unknown_option": ConfigError,
    "bad_option": ConfigError,
    "after_fork": ConfigError,
    "browser_not_found": BrowserError,
    "browser_failed": BrowserError,
    "browser_timeout": BrowserError,
    "port_taken": TransportError,
    "connection_lost": TransportError,
    "unauthorized": TransportError,
    "bad_frame": ProtocolError,
    "out_of_order": ProtocolError,
    "version_mismatch": ProtocolError,
    "too_large": ProtocolError,
    "closed": PoolError,
    "worker_lost": PoolError,
    "timeout": PoolError,
    "platform_unavailable": PoolError,
    "hardware_required": PoolError,
    "wrong_numbers": PoolError,
    "cancelled": PoolError,
    "model_not_found": ModelError,
    "model_package_missing": ModelError,
    "operator_unsupported": ModelError,
    "model_invalid": ModelError,
    "model_not_loaded": ModelError,
    "block_unavailable": ModelError,
    "input_missing": InferenceError,
    "input_unknown": InferenceError,
    "input_mismatch": InferenceError,
    "run_failed": InferenceError,
    "out_of_memory": InferenceError,
    "tensor_not_found": TensorError,
    "tensor_exists": TensorError,
    "tensor_dtype": TensorError,
}


HINTS: dict[str, str] = {
    "too_large": "Send less at once.",
    "platform_unavailable": "Name another platform or browser, or allow_fallback=['wasm'].",
    "operator_unsupported": "Let them run on the CPU by allow_fallback=['wasm'], or use another "
    "platform.",
    "model_invalid": "Check the file with `onnx.checker`; the engine's own words are in the error.",
    "model_not_loaded": "Call again: it is loaded anew.",
    "block_unavailable": "Call again; if it repeats, remove the cache folder.",
    "run_failed": "Read the engine's words in the error: often a shape that the graph can't take.",
    "out_of_memory": "Send less at once, unload a model, or use fewer browsers.",
    "tensor_not_found": "Put the tensor again.",
    "tensor_exists": "Drop the old one first.",
    "tensor_dtype": "Convert it, before the call or in the graph.",
}
"""What to do next about the codes that an engine answers with; the wire carries no hints."""


def from_code(
    code: str, message: str, details: dict[str, Any] | None = None, hint: str | None = None
) -> AccelerateError:
    """The error that the far side described, as this side's class; an unknown code is kept."""
    return CLASS_OF_CODE.get(code, AccelerateError)(message, code=code, details=details, hint=hint)
