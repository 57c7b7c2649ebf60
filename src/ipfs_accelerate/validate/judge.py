"""From what a run gave, a result or an error, to a verdict. Pure but for the arrays compared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipfs_accelerate.errors import AccelerateError
from ipfs_accelerate.validate.compare import compare, compare_kinds
from ipfs_accelerate.validate.native import REFUSES
from ipfs_accelerate.validate.verdicts import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ipfs_accelerate.result import Result
    from ipfs_accelerate.validate.cases import Case

_VERDICTS = {
    "operator_unsupported": Verdict.UNSUPPORTED,
    "tensor_dtype": Verdict.UNSUPPORTED,
    "wrong_numbers": Verdict.WRONG,
    "platform_unavailable": Verdict.UNAVAILABLE,
    "hardware_required": Verdict.UNAVAILABLE,
    "browser_not_found": Verdict.UNAVAILABLE,
}
_REFUSALS = (
    r"NOT_IMPLEMENTED|NOT implemented|Could not find an implementation|Failed to find kernel",
    r"is not a registered (function|op)|No Op registered|No opset import for domain",
    r"Type Error: |Unsupported (data|tensor|type)|[Uu]nsupported|not supported|only supports",
    r"of opset \d+; the engine reads up to|Unsupported model IR version",
    r"under development and support for this is limited",
    r"is \w+, not a tensor|Unrecognized attribute",
    r"is not currently registered or supported",
)
_REFUSED = re.compile("|".join(_REFUSALS))
"""The words in which an engine says that it lacks something, whose code is also that of a fault."""


def judge(case: Case, result: Result, tolerance: Mapping[str, float], platform: str) -> Outcome:
    """The verdict on a result; `platform` is where it was to run."""
    arrays = {name: result.output_tensors.get(name) for name in case.right}
    computed = {name: array for name, array in arrays.items() if array is not None}
    if case.random:
        difference = compare_kinds(computed, case.right)
    else:
        difference = compare(computed, case.right, tolerance)
    elsewhere = platform not in ("auto", result.platform)
    fell_back = result.fell_back or (case.operators if elsewhere else ())
    verdict = Verdict.FELL_BACK if fell_back else Verdict.RIGHT
    return _outcome(
        case,
        verdict if difference is None else Verdict.WRONG,
        reason=f"it ran on {result.platform}" if elsewhere else "",
        difference=difference,
        fell_back=tuple(fell_back),
    )


def judge_error(case: Case, error: BaseException) -> Outcome:
    """The verdict on a case that ended with an error."""
    if isinstance(error, AccelerateError):
        verdict = _verdict(error, lacking=case.native.startswith(REFUSES))
        return _outcome(case, verdict, code=error.code, reason=_plain(error))
    if isinstance(error, TimeoutError):
        return _outcome(case, Verdict.FAILED, code="timeout", reason="it gave no answer: it hangs")
    reason = f"{type(error).__name__}: {error}"
    return _outcome(case, Verdict.FAILED, code="crashed", reason=reason)


def judge_unrun(case: Case) -> Outcome | None:
    """The verdict on a case that can't be run at all; None where it can."""
    if case.refusal:
        return _outcome(case, Verdict.UNSUPPORTED, code="tensor_dtype", reason=case.refusal)
    if case.failure:
        return _outcome(case, Verdict.FAILED, code="no_reference", reason=case.failure)
    return None


def _verdict(error: AccelerateError, *, lacking: bool) -> Verdict:
    """`lacking` is whether native onnxruntime refuses the case too: no browser is at fault."""
    refused = error.code in ("model_invalid", "run_failed")
    if refused and (lacking or _REFUSED.search(error.message)):
        return Verdict.UNSUPPORTED
    return _VERDICTS.get(error.code, Verdict.FAILED)


def _plain(error: AccelerateError) -> str:
    """Its words, without the folder of a file that is gone by now."""
    path = str(error.details.get("path", ""))
    return error.message.replace(path, Path(path).name) if path else error.message


def _outcome(case: Case, verdict: Verdict, **more: Any) -> Outcome:
    return Outcome(
        case=case.name,
        operators=case.operators,
        verdict=verdict,
        native=case.native,
        note=case.note,
        **more,
    )
