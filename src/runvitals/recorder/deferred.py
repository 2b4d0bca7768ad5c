"""Numbers that are known only later: a row whose values a device, or a little work, still owes."""

from __future__ import annotations

from collections.abc import Callable, Mapping


class DeferredNumbers:
    """A row to be: `numbers()` is asked once, in the thread that waits for devices.

    What a training loop hands over must not change afterwards: keep copies, not the tensors that the
    optimiser writes to.
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], Mapping[str, float]]) -> None:
        self._make: Callable[[], Mapping[str, float]] | None = make

    def numbers(self) -> dict[str, float]:
        """Names and values; empty the second time, for what they are made of is let go."""
        make, self._make = self._make, None
        return {} if make is None else {name: float(value) for name, value in make().items()}
