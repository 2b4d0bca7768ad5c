"""A network's parameters by block: few enough to read, named as the model names them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from runvitals.model import ConfigError

MAX_BLOCKS = 64  # series per metric: more than a person reads, and all of a deep transformer
MAX_NAMED = 8  # modules that one pre-flight check names; the rest are in its total
WHOLE = "(model)"


def block_of(name: str, depth: int = 0) -> str:
    """The block that a parameter or module belongs to: up to its first number, or its first word.

    >>> block_of("model.layers.7.mlp.down_proj.weight"), block_of("head.weight"), block_of("weight")
    ('model.layers.7', 'head', '(model)')
    """
    parts = name.split(".")
    for place, part in enumerate(parts[:-1]):
        if part.isdigit():
            return ".".join(parts[: place + 1])
    inner = parts[:-1][: depth + 1]
    return ".".join(inner) or WHOLE


def blocks_of(names: Sequence[str], most: int = MAX_BLOCKS) -> list[str]:
    """The block of each name, at most so many different ones, in order.

    A wrapper around everything says nothing, so that one block alone is looked into. Where there are
    too many, neighbours share one.

    >>> blocks_of(["net.up.weight", "net.up.bias", "net.down.weight"])
    ['net.up', 'net.up', 'net.down']
    >>> blocks_of([f"layers.{i}.weight" for i in range(6)], most=3)[:3]
    ['layers.0 to layers.1', 'layers.0 to layers.1', 'layers.2 to layers.3']
    """
    deepest = max((name.count(".") for name in names), default=0)
    blocks: list[str] = []
    for depth in range(deepest + 1):
        blocks = [plain_label(block_of(name, depth)) for name in names]
        if len(set(blocks)) > 1:
            break
    distinct = list(dict.fromkeys(blocks))
    if len(distinct) <= most:
        return blocks
    size = -(-len(distinct) // most)
    merged: dict[str, str] = {}
    for begin in range(0, len(distinct), size):
        mine = distinct[begin : begin + size]
        title = mine[0] if len(mine) == 1 else f"{mine[0]} to {mine[-1]}"
        merged.update(dict.fromkeys(mine, title))
    return [merged[block] for block in blocks]


def groups(blocks: Sequence[str], *, total: bool = True) -> list[tuple[dict[str, str], list[int]]]:
    """Labels and places of all parameters together, and of each block if there are several.

    Without `total`, of each block only: these are not all there are.

    >>> groups(["up", "up", "down"])
    [({}, [0, 1, 2]), ({'block': 'up'}, [0, 1]), ({'block': 'down'}, [2])]
    """
    places: dict[str, list[int]] = {}
    for place, block in enumerate(blocks):
        places.setdefault(block, []).append(place)
    everything: list[tuple[dict[str, str], list[int]]] = [({}, list(range(len(blocks))))]
    by_block = [({"block": block}, mine) for block, mine in places.items()]
    if not total:
        return by_block
    return everything + by_block if len(places) > 1 else everything


def module_of(parameter: str) -> str:
    """The module that owns a parameter.

    >>> module_of("layers.7.mlp.down_proj.weight"), module_of("weight")
    ('layers.7.mlp.down_proj', '(model)')
    """
    return plain_label(parameter.rpartition(".")[0]) or WHOLE


def covering(affected: Collection[str], names: Sequence[str]) -> dict[str, list[str]]:
    """The fewest modules that hold all affected parameters and no other, each with its parameters.

    >>> covering({"a.x.w", "a.y.w", "b.w"}, ["a.x.w", "a.y.w", "b.w", "b.bias"])
    {'a': ['a.x.w', 'a.y.w'], 'b': ['b.w']}
    """
    found: dict[str, list[str]] = {}
    _cover("", [name for name in names if name in affected], names, set(affected), found)
    return found


def _cover(
    prefix: str,
    mine: Sequence[str],
    names: Sequence[str],
    affected: set[str],
    found: dict[str, list[str]],
) -> None:
    if not mine:
        return
    below = [name for name in names if name.startswith(prefix)]
    parts = {name[len(prefix) :].partition(".")[0] for name in below if "." in name[len(prefix) :]}
    if all(name in affected for name in below) or not parts:
        found[plain_label(prefix.rstrip(".")) or WHOLE] = list(mine)
        return
    direct = [name for name in mine if "." not in name[len(prefix) :]]
    if direct:
        found[plain_label(prefix.rstrip(".")) or WHOLE] = direct
    for part in dict.fromkeys(name[len(prefix) :].partition(".")[0] for name in below):
        inner = f"{prefix}{part}."
        _cover(inner, [n for n in mine if n.startswith(inner)], names, affected, found)


def plain_label(name: str) -> str:
    """A name that can stand in the braces of a label."""
    return name.translate(str.maketrans("{},=", "()..")).strip()


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
