"""The numbers that a sender has used, so that none is taken twice."""

from __future__ import annotations

from bisect import bisect_right


class NumbersUsed:
    """Runs of numbers: a sender that counts up costs one run, however long it lives."""

    def __init__(self) -> None:
        # Ascending, apart by a gap at least: [first, last] of each run.
        self._runs: list[list[int]] = []

    def take(self, number: int) -> bool:
        """Note the number, and say whether it was new."""
        at = bisect_right(self._runs, number, key=lambda run: run[0])
        before = self._runs[at - 1] if at else None
        after = self._runs[at] if at < len(self._runs) else None
        if before and number <= before[1]:
            return False
        if before and number == before[1] + 1:
            before[1] = number
            if after and after[0] == number + 1:
                before[1] = after[1]
                del self._runs[at]
        elif after and after[0] == number + 1:
            after[0] = number
        else:
            self._runs.insert(at, [number, number])
        return True
