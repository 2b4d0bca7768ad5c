"""Small looks at large tensors, without copying them and without waiting for their device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from runvitals.model import FloatArray

MAX_SAMPLE = 4096  # elements of a tensor: a norm of so many is known to about 1%
STRIDE_TRAP = 8  # strides are made odd: rows and heads come in powers of two


def local(tensor: Any) -> Any:
    """The part of a sharded tensor that lies here; any other as it is, without its graph."""
    tensor = tensor.detach()
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def sample(tensor: Any, most: int = MAX_SAMPLE) -> Any:
    """Evenly spaced elements as a flat view where that is possible; small tensors whole.

    Always the same elements for one shape, so that two samples can be subtracted.
    """
    size = tensor.numel()
    flat = _flat(tensor)
    if size <= most:
        return flat
    stride = -(-size // most)
    if stride >= STRIDE_TRAP and stride % 2 == 0:
        stride += 1
    return flat[::stride]


def _flat(tensor: Any) -> Any:
    """One dimension, without a copy if the elements lie side by side in any order."""
    if tensor.is_contiguous():
        return tensor.view(-1)
    order = sorted(range(tensor.dim()), key=lambda axis: -tensor.stride(axis))
    turned = tensor.permute(order)
    return turned.view(-1) if turned.is_contiguous() else tensor.reshape(-1)


def norms(tensors: Sequence[Any]) -> list[Any]:
    """The 2-norm of each, as numbers on their device."""
    import torch

    if not tensors:
        return []
    wide = torch.float32 if all(one.dtype.itemsize < 4 for one in tensors) else None
    return list(torch._foreach_norm(list(tensors), 2, dtype=wide))


class Gathered:
    """Numbers that lie on devices, to be fetched later in one copy per device."""

    def __init__(self, numbers: Sequence[Any]) -> None:
        import torch

        self._size = len(numbers)
        self._parts: list[tuple[list[int], Any, Any]] = []
        places: dict[Any, list[int]] = {}
        for place, number in enumerate(numbers):
            places.setdefault(number.device, []).append(place)
        for device, mine in places.items():
            stacked = torch.stack([numbers[place].detach().reshape(()).float() for place in mine])
            self._parts.append((mine, stacked, _stream(device)))

    def fetch(self) -> FloatArray:
        """Waits for the devices: for the thread that may."""
        values = np.full(self._size, np.nan)
        for mine, stacked, stream in self._parts:
            with stream():
                values[mine] = stacked.cpu().numpy()
        return values


def _stream(device: Any) -> Callable[[], Any]:
    """The stream that computes these numbers: a copy on another one could come too early."""
    if device.type != "cuda":
        return nullcontext
    import torch

    stream = torch.cuda.current_stream(device)
    return lambda: torch.cuda.stream(stream)


def waits(tensors: Sequence[Any]) -> bool:
    """Whether reading one of these means to wait for a device."""
    return any(tensor.device.type != "cpu" for tensor in tensors)
