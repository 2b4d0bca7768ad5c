"""The gradient noise scale, where an update is made of several micro-batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from runvitals.recorder.network.tensors import Gathered, local, sample

MAX_PARAMETERS = 32  # tensors whose gradients stand for all
MAX_ELEMENTS = 1024  # of each
MEMORY = 0.9  # of the running means; one estimate alone is very noisy (McCandlish and others, 2018)


class NoiseWatch:
    """Sees each micro-batch add its gradient, during a measured step.

    With k micro-batches the spread of their gradients says how much of the mean is noise: the noise
    scale is the batch size at which noise and signal are equal (McCandlish and others, "An empirical
    model of large-batch training", 2018, appendix A).
    """

    def __init__(self, parameters: Sequence[Any], contain: Callable[[str], Any]) -> None:
        able = [p for p in parameters if hasattr(p, "register_post_accumulate_grad_hook")]
        self._watched = able[:: max(1, len(able) // MAX_PARAMETERS)][:MAX_PARAMETERS]
        self._contain = contain
        self._handles: list[Any] = []
        self._sums: dict[int, Any] = {}
        self._squares: dict[int, Any] = {}
        self._batches: dict[int, int] = {}
        self._noise = self._signal = math.nan

    def begin(self) -> None:
        """Look at the backward passes of the coming step."""
        self._sums, self._squares, self._batches = {}, {}, {}
        for place, parameter in enumerate(self._watched):
            if parameter.requires_grad:
                hook = self._hook(place)
                self._handles.append(parameter.register_post_accumulate_grad_hook(hook))

    def end(self) -> None:
        """Take the hooks off again."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _hook(self, place: int) -> Callable[[Any], None]:
        def look(parameter: Any) -> None:
            with self._contain("the look at micro-batches"):
                self._look(place, parameter)

        return look

    def _look(self, place: int, parameter: Any) -> None:
        if parameter.grad is None or parameter.grad.is_sparse:
            return
        total = sample(local(parameter.grad), MAX_ELEMENTS).float().clone()
        before = self._sums.get(place)
        own = total if before is None else total - before
        square = own.square().sum()
        known = self._squares.get(place)
        self._squares[place] = square if known is None else known + square
        self._sums[place] = total
        self._batches[place] = self._batches.get(place, 0) + 1

    def numbers(self, batch_size: int | None) -> Callable[[], dict[str, float]] | None:
        """Noise scale and size of the update, in samples, or in micro-batches of unknown size."""
        count = max(self._batches.values(), default=0)
        whole = [place for place, batches in self._batches.items() if batches == count]
        if count < 2 or not whole:
            return None
        big = Gathered([self._sums[place].square().sum() for place in whole])
        small = Gathered([self._squares[place] for place in whole])

        def make() -> dict[str, float]:
            of_mean = float(big.fetch().sum())
            # mean square of a micro-batch, k x its share
            of_one = count * float(small.fetch().sum())
            self._remember(*noise_and_signal(of_one, of_mean, count))
            size = batch_size or 1
            update = {"net/update_batch": float(count * size)}
            if not self._signal > 0:
                return update
            return {"net/noise_scale": self._noise / self._signal * size, **update}

        return make

    def _remember(self, noise: float, signal: float) -> None:
        if not math.isfinite(noise) or not math.isfinite(signal):
            return
        if math.isnan(self._noise):
            self._noise, self._signal = noise, signal
            return
        self._noise = MEMORY * self._noise + (1 - MEMORY) * noise
        self._signal = MEMORY * self._signal + (1 - MEMORY) * signal


def noise_and_signal(of_one: float, of_mean: float, count: int) -> tuple[float, float]:
    """Unbiased trace of the gradient's covariance and square of its mean, per micro-batch.

    `of_one` is the mean squared norm of one micro-batch's gradient, `of_mean` that of their mean.

    >>> noise_and_signal(of_one=5.0, of_mean=2.0, count=4)
    (4.0, 1.0)
    """
    signal = (count * of_mean - of_one) / (count - 1)
    noise = (of_one - of_mean) / (1 - 1 / count)
    return noise, signal
