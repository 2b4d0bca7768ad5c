"""From whatever a training loop logs to plain numbers, without waiting for a device."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from runvitals.recorder.config import encodable

# Types that `struct.pack("d", x)` takes as they are, without touching a device.
PLAIN = frozenset(
    {float, int, bool, np.float64, np.float32, np.float16, np.bool_}
    | {np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64}
)
MAX_DEPTH = 16
MAX_STEP = 2**53


class NotANumberError(Exception):
    """The value cannot be logged as a scalar; the text says why and what to use instead."""


def flatten(
    values: Mapping[Any, Any], prefix: str = "", depth: int = 0
) -> Iterator[tuple[str, Any]]:
    """Nested mappings as `outer/inner` names.

    >>> dict(flatten({"loss": {"policy": 1.0, "value": 2.0}, 3: 4.0}))
    {'loss/policy': 1.0, 'loss/value': 2.0, '3': 4.0}
    """
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and depth < MAX_DEPTH:
            yield from flatten(value, f"{name}/", depth + 1)
        else:
            yield encodable(name), value


def scalar(value: Any) -> Any:
    """A float now, or an object whose `float()` is taken later because it lies on a device.

    >>> scalar(np.array([2.5])), scalar(True)
    (2.5, 1.0)
    """
    if type(value) in PLAIN:
        return _as_float(value)
    if value is None:
        raise NotANumberError("is None")
    if isinstance(value, str | bytes):
        raise NotANumberError("is text; use run.log_text")
    if isinstance(value, complex | np.complexfloating):
        raise NotANumberError("is complex; log its parts")
    size = _size(value)
    if size is not None and size != 1:
        raise NotANumberError(f"holds {size} numbers; log its mean, or use run.log_histogram")
    if hasattr(value, "detach"):
        return _from_torch(value)
    if is_jax(value):
        return value
    if isinstance(value, np.ndarray):
        value = value.reshape(())[()]
    if hasattr(value, "numpy") and callable(value.numpy):
        return value  # TensorFlow and kin
    if isinstance(value, list | tuple):
        return scalar(value[0])
    return _as_float(value)


def is_jax(value: Any) -> bool:
    """Whether it is an array of JAX, which never changes and may still be computed."""
    return type(value).__module__.partition(".")[0] in ("jax", "jaxlib")


def _size(value: Any) -> int | None:
    if isinstance(value, list | tuple | set | frozenset):
        return len(value)
    shape = getattr(value, "shape", None)
    if shape is None:
        return None
    try:
        return math.prod(int(n) for n in shape)
    except (TypeError, ValueError):
        return None


def _from_torch(tensor: Any) -> Any:
    tensor = tensor.detach()  # do not keep the graph alive
    if getattr(tensor, "is_complex", lambda: False)():
        raise NotANumberError("is complex; log its parts")
    if tensor.device.type == "cpu":
        return float(tensor.item())
    return tensor.clone()  # queued on the device: what is done to the original later does not show


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except Exception as error:  # any user type may fail in any way
        raise NotANumberError(f"is a {type(value).__name__}, not a number") from error


def resolve(value: Any) -> float:
    """The number of what `scalar` returned; may wait for a device."""
    if type(value) is float:
        return value
    if hasattr(value, "reshape") and getattr(value, "shape", ()) != ():
        value = value.reshape(())
    return _as_float(value)


def as_step(step: Any) -> int:
    """A step as an integer that fits; fractions are cut.

    >>> as_step(7.9), as_step(np.int32(3)), as_step(10**30) == MAX_STEP
    (7, 3, True)
    """
    try:
        number = resolve(scalar(step))
    except NotANumberError as error:
        raise NotANumberError(f"its step is a {type(step).__name__}, not a number") from error
    if math.isnan(number):
        raise NotANumberError("its step is NaN")
    return int(max(-MAX_STEP, min(MAX_STEP, number)))


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
