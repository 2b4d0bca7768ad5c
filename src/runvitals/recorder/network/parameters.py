"""The parameters of a model as the watch sees them: names, blocks, optimisers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runvitals.model import ConfigError
from runvitals.recorder.network.blocks import blocks_of

MAX_WRAPPERS = 5


class Parameters:
    """Names and blocks of a model's parameters, and the optimisers that hold them."""

    def __init__(self, model: Any, optimizers: Sequence[Any]) -> None:
        self.names: list[str] = []
        self.tensors: list[Any] = []
        for name, parameter in model.named_parameters():
            self.names.append(name.removeprefix("_orig_mod.").removeprefix("module."))
            self.tensors.append(parameter)
        self.blocks = blocks_of(self.names)
        self.place = {id(tensor): place for place, tensor in enumerate(self.tensors)}
        self.optimizers = optimizers

    def held(self) -> set[int]:
        """Places of the parameters that are in a group of an optimiser."""
        held = {id(p) for one in self.optimizers for g in one.param_groups for p in g["params"]}
        return {place for place, tensor in enumerate(self.tensors) if id(tensor) in held}

    def of(self, optimizer: Any) -> list[int]:
        """Places of the parameters of one optimiser that have a dense gradient now."""
        places = (
            self.place.get(id(p))
            for g in optimizer.param_groups
            for p in g["params"]
            if p.grad is not None and not p.grad.is_sparse
        )
        return sorted({place for place in places if place is not None})

    def sizes(self) -> list[int]:
        """Elements of each."""
        return [tensor.numel() for tensor in self.tensors]


def optimizers_of(given: Any) -> list[Any]:
    """One optimiser, several, or wrappers around them, as a list."""
    if given is None:
        raise ConfigError(
            "watch() needs the optimiser too", hint="rv.watch(model, optimizer) before the loop"
        )
    several = list(given) if isinstance(given, list | tuple | set) else [given]
    return [_inner(one) for one in several]


def _inner(optimizer: Any) -> Any:
    """What is wrapped, as Accelerate and others do."""
    for _ in range(MAX_WRAPPERS):
        # Accelerate's wrapper has the methods of an optimiser, but was never set up as one
        if hasattr(optimizer, "_optimizer_step_pre_hooks"):
            return optimizer
        optimizer = getattr(optimizer, "optimizer", None)
    raise ConfigError(
        "watch() needs a torch.optim.Optimizer", hint="rv.watch(model, optimizer, every=100)"
    )
