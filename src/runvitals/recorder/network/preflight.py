"""The check before the flight: what is wrong with model and optimiser before it costs a night.

Each check logs a total (0: checked, and fine) and one labelled series for each module it names. So
stores, readers, charts and rules carry the answers like any other metric.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

from runvitals.model import labelled
from runvitals.recorder.network.blocks import MAX_NAMED, WHOLE, Parameters, covering
from runvitals.recorder.network.forward import ForwardWatch
from runvitals.recorder.network.tensors import Gathered, local, norms

FIRST_UPDATES = 10  # judgement: adapters and warm-ups that start at 0 have begun to move by then


class Preflight:
    """Looks at the first updates; what it finds rides along with what is logged next."""

    def __init__(self, parameters: Parameters, learns: Sequence[str]) -> None:
        self._parameters = parameters
        self._learns = tuple(learns)
        self._with_rate: set[tuple[int, int]] = set()  # optimiser, group
        self._rates_unknown: set[tuple[int, int]] = set()
        self._ever: dict[int, Any] = {}  # largest gradient norm by parameter
        self._updates: dict[int, int] = {}
        self._done = False

    def at_first(self) -> dict[str, float]:
        """What shows before anything was trained: parameters in no group, and frozen ones."""
        names, sizes = self._parameters.names, self._parameters.sizes()
        held = self._parameters.held()
        trainable = {p for p, tensor in enumerate(self._parameters.tensors) if tensor.requires_grad}
        frozen = set(range(len(names))) - trainable
        expected = {p for p in frozen if self._should_learn(names[p])}
        return {
            "preflight/trainable": float(sum(sizes[place] for place in trainable)),
            **self._named("preflight/not_in_optimizer", self._with_gradient(trainable - held)),
            **self._named("preflight/frozen", expected, why="expected to learn"),
            **self._named("preflight/frozen", (frozen & held) - expected, why="in the optimizer"),
            "preflight/frozen": float(sum(sizes[p] for p in expected | (frozen & held))),
        }

    def _with_gradient(self, places: Collection[int]) -> set[int]:
        """Those that the loss reaches: target networks are copies, and no loss does."""
        return {place for place in places if self._parameters.tensors[place].grad is not None}

    def _should_learn(self, name: str) -> bool:
        return any(
            name == one or name.startswith(f"{one}.") or fnmatch(name, one) for one in self._learns
        )

    def _named(self, metric: str, places: Collection[int], **labels: str) -> dict[str, float]:
        """How many numbers that concerns, in all and by module; the largest modules are named."""
        names, sizes = self._parameters.names, self._parameters.sizes()
        size = {name: sizes[place] for place, name in enumerate(names)}
        found = covering({names[place] for place in places}, names)
        counts = {module: sum(size[name] for name in mine) for module, mine in found.items()}
        largest = sorted(counts, key=lambda module: -counts[module])[:MAX_NAMED]
        return {metric: float(sum(counts.values()))} | {
            labelled(metric, module=module, **labels): float(counts[module]) for module in largest
        }

    def look(self, optimizer: Any) -> None:
        """Before one of the first updates: learning rates and gradients."""
        which = self._parameters.optimizers.index(optimizer)
        self._updates[which] = self._updates.get(which, 0) + 1
        for number, group in enumerate(optimizer.param_groups):
            rate = group.get("lr", 1.0)
            if not isinstance(rate, int | float) and rate.device.type != "cpu":
                self._rates_unknown.add((which, number))  # asking would make the device wait
            elif float(rate) != 0.0:
                self._with_rate.add((which, number))
        import torch

        places = self._parameters.of(optimizer)
        sizes = norms([local(self._parameters.tensors[place].grad) for place in places])
        for place, norm in zip(places, sizes, strict=True):
            before = self._ever.get(place)
            self._ever[place] = norm if before is None else torch.maximum(before, norm)

    @property
    def ready(self) -> bool:
        """Whether enough updates were seen, and not yet spoken of."""
        counts = [self._updates.get(n, 0) for n in range(len(self._parameters.optimizers))]
        return not self._done and min(counts, default=0) >= FIRST_UPDATES

    def numbers(self, forward: ForwardWatch) -> list[Callable[[], Mapping[str, float]] | None]:
        """What the first updates showed; to be asked later."""
        self._done = True
        return [self._gradients(), self._rates, lambda: modes(forward), forward.batch_numbers()]

    def _gradients(self) -> Callable[[], dict[str, float]]:
        sparse = {
            place
            for place, tensor in enumerate(self._parameters.tensors)
            if tensor.grad is not None and tensor.grad.is_sparse
        }
        wanted = self._parameters.held() - sparse
        wanted = {place for place in wanted if self._parameters.tensors[place].requires_grad}
        places = [place for place in self._ever if place in wanted]
        gathered = Gathered([self._ever[place] for place in places])

        def make() -> dict[str, float]:
            sizes = dict(zip(places, gathered.fetch().tolist(), strict=True))
            silent = {place for place in wanted if sizes.get(place, 0.0) == 0.0}
            if silent == wanted and self._ever:
                return {}  # nothing had a gradient: the batches or the rewards, not the network
            return self._named("preflight/no_gradient", silent)

        return make

    def _rates(self) -> dict[str, float]:
        sizes = {}
        for which, optimizer in enumerate(self._parameters.optimizers):
            for number, group in enumerate(optimizer.param_groups):
                if (which, number) not in self._rates_unknown | self._with_rate:
                    label = (
                        str(number)
                        if len(self._parameters.optimizers) == 1
                        else f"{which}.{number}"
                    )
                    sizes[label] = float(sum(p.numel() for p in group["params"]))
        metric = "preflight/zero_learning_rate"
        return {metric: sum(sizes.values())} | {
            labelled(metric, group=group): size for group, size in list(sizes.items())[:MAX_NAMED]
        }


def modes(forward: ForwardWatch) -> dict[str, float]:
    """Modules in the wrong mode: in eval() while they train."""
    named = {WHOLE} if forward.whole_in_eval and forward.in_eval else forward.in_eval
    return _by_module("preflight/eval_while_training", forward.in_eval, named)


def modes_in_evaluation(forward: ForwardWatch) -> dict[str, float]:
    """And in train() while they are evaluated."""
    return _by_module("preflight/train_while_evaluating", forward.in_train, forward.in_train)


def _by_module(metric: str, modules: Collection[str], named: Collection[str]) -> dict[str, float]:
    return {metric: float(len(modules))} | {
        labelled(metric, module=module): 1.0 for module in sorted(named)[:MAX_NAMED]
    }
