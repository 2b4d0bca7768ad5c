"""Which module was the first to produce NaN or infinity, and in which update."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from runvitals.model import labelled
from runvitals.recorder.network.blocks import Parameters, module_of
from runvitals.recorder.network.tensors import Gathered, local, norms, waits

METRIC = "net/nonfinite"
EVERYWHERE = "(loss)"  # all gradients at once: the loss itself was no number


class Origin(NamedTuple):
    """Where it began: a module, and what of it (gradient, weight, output or loss)."""

    module: str
    kind: str

    def numbers(self, update: int) -> dict[str, float]:
        """The series that says so: its value is the update in which it happened."""
        return {labelled(METRIC, module=self.module, kind=self.kind): float(update)}


def origin_of_gradients(names: Sequence[str], bad: Sequence[bool]) -> Origin:
    """From the gradients that are no numbers, in the order of the forward pass.

    They spread backwards, so the last module of the forward pass that has one is where it began. If
    all have one, it began before the backward pass: in the loss.

    >>> names = ["embed.weight", "layers.0.up.weight", "head.weight"]
    >>> origin_of_gradients(names, [True, True, False])
    Origin(module='layers.0.up', kind='gradient')
    >>> origin_of_gradients(names, [True, True, True])
    Origin(module='(loss)', kind='loss')
    """
    if all(bad):
        return Origin(EVERYWHERE, "loss")
    last = max(place for place, one in enumerate(bad) if one)
    return Origin(module_of(names[last]), "gradient")


class NonFiniteWatch:
    """Looks at every update, at little cost.

    On the CPU, at the smallest gradient of each block, and at everything once one of them is no
    number. Elsewhere at the norm of every gradient: one fused pass on the device, whose answer stays
    there until it is fetched.
    """

    def __init__(self, parameters: Parameters) -> None:
        self._parameters = parameters
        self._first_bad: Any = None  # update of the first bad gradient by parameter, on the device
        self._places: list[int] = []
        self._found = False

    def look(self, optimizer: Any, update: int, order: Mapping[str, int]) -> Origin | None:
        """Before the optimiser steps; the origin, if it is known here and now."""
        scaled = getattr(optimizer, "grad_scale", None) is not None
        if self._found or scaled:  # a scaler skips such updates on purpose
            return None
        places = self._parameters.of(optimizer)
        gradients = [self._parameters.tensors[place].grad for place in places]
        if not places:
            return None
        if waits(gradients):
            self._look_on_device(places, gradients, update)
            return None
        return self._look_here(places, order)

    def _look_here(self, places: list[int], order: Mapping[str, int]) -> Origin | None:
        tensors, names = self._parameters.tensors, self._parameters.names
        smallest: dict[str, int] = {}
        for place in places:
            block = self._parameters.blocks[place]
            best = smallest.get(block)
            if best is None or tensors[place].numel() < tensors[best].numel():
                smallest[block] = place
        few = norms([local(tensors[place].grad) for place in smallest.values()])
        if all(math.isfinite(float(one)) for one in few):
            return None
        self._found = True
        places = sorted(places, key=lambda place: order.get(module_of(names[place]), place))
        weights = norms([local(tensors[place]) for place in places])
        for place, weight in zip(places, weights, strict=True):
            if not math.isfinite(float(weight)):
                return Origin(module_of(names[place]), "weight")
        bad = [not math.isfinite(float(n)) for n in norms([local(tensors[p].grad) for p in places])]
        return origin_of_gradients([names[place] for place in places], bad)

    def _look_on_device(self, places: list[int], gradients: list[Any], update: int) -> None:
        import torch

        sizes = torch.stack([norm.float() for norm in norms(list(map(local, gradients)))])
        never = torch.full_like(sizes, math.inf)
        bad = torch.where(torch.isfinite(sizes), never, torch.full_like(sizes, float(update)))
        if self._first_bad is None or self._places != places:
            self._first_bad, self._places = never, places
        self._first_bad = torch.minimum(self._first_bad, bad)

    def numbers(self, order: Mapping[str, int]) -> Callable[[], dict[str, float]] | None:
        """What the device found since; to be asked later."""
        if self._first_bad is None or self._found:
            return None
        gathered, places = Gathered(list(self._first_bad)), list(self._places)

        def make() -> dict[str, float]:
            first = gathered.fetch()
            if self._found or not any(math.isfinite(one) for one in first):
                return {}
            self._found = True
            update = min(first)
            named = [
                (self._parameters.names[place], bool(one == update))
                for place, one in zip(places, first, strict=True)
            ]
            named.sort(key=lambda one: order.get(module_of(one[0]), 0))
            names, bad = [name for name, _ in named], [one for _, one in named]
            return origin_of_gradients(names, bad).numbers(int(update))

        return make


def replay(
    model: Any, inputs: tuple[tuple[Any, ...], dict[str, Any]], usual: set[str]
) -> Origin | None:
    """Run the batch that ended in a loss that is no number once more, and see where that begins.

    The first module whose output is not finite while what it was given is. `usual` are modules whose
    outputs were infinite while all was well, as masked scores are.
    """
    import torch

    found: list[Origin] = []
    handles = []

    def hook(name: str) -> Callable[..., None]:
        def look(module: Any, given: Any, output: Any) -> None:  # noqa: ARG001
            if not found and name not in usual and not finite(output) and finite(given):
                found.append(Origin(module_of(f"{name}."), "output"))

        return look

    for name, module in model.named_modules():
        if not any(module.children()):
            handles.append(module.register_forward_hook(hook(name)))
    devices = sorted({p.device.index or 0 for p in model.parameters() if p.device.type == "cuda"})
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=devices):
            model(*inputs[0], **inputs[1])
    finally:
        for handle in handles:
            handle.remove()
    return found[0] if found else None


def finite(value: Any) -> bool:
    """Whether all floating numbers in a tensor, or in a collection of them, are finite."""
    import torch

    if isinstance(value, torch.Tensor):
        return not value.is_floating_point() or bool(torch.isfinite(value).all())
    if isinstance(value, Mapping):
        return all(map(finite, value.values()))
    return all(map(finite, value)) if isinstance(value, list | tuple) else True
