"""What the forward passes show: order of modules, batches, modes, and the first loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runvitals.recorder.network.blocks import module_of
from runvitals.recorder.network.nonfinite import finite
from runvitals.recorder.network.tensors import Gathered, sample

MAX_TENSORS = 4  # of a batch that are looked at
MAX_EVALUATIONS = 20  # forward passes without gradient that are looked at
CLASSIFIERS = ("CrossEntropyLoss", "NLLLoss")


class ForwardWatch:
    """Hooks around the whole model; those on its parts are there for the first pass only."""

    def __init__(self, model: Any, contain: Callable[[str], Any], first_updates: int) -> None:
        self.model = model
        self.order: dict[str, int] = {}  # of modules in the first pass
        self.usual: set[str] = set()  # modules whose outputs are infinite while all is well
        self.batch_size: int | None = None
        self.inputs: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        self.whole_in_eval = False
        self.in_eval: set[str] = set()  # modules in eval() while they train
        self.in_train: set[str] = set()  # modules in train() while they are evaluated
        self.evaluations = 0
        self.trainings = 0
        self.paused = False
        self._contain = contain
        self._first_updates = first_updates
        self._marks: list[list[Any]] = []  # of the first batches
        self._marked = False
        self._first_loss: tuple[Any, int] | None = None
        self._lossy = True
        self._two_modes = list(_with_two_modes(model))
        self._handles = [
            model.register_forward_pre_hook(self._before, with_kwargs=True),
            model.register_forward_hook(self._after),
        ]
        self._parts: list[Any] = []
        for name, module in model.named_modules():
            if not any(module.children()):
                self._parts.append(module.register_forward_hook(self._note_order(name)))

    def close(self) -> None:
        """Take all hooks off."""
        self._forget_parts()
        for handle in self._handles:
            handle.remove()
        self._handles, self.inputs = [], None

    def _forget_parts(self) -> None:
        for handle in self._parts:
            handle.remove()
        self._parts = []

    def updated(self, update: int) -> None:
        """An update was made: the next batch is another one."""
        self.inputs = None
        self._marked = False
        self._lossy = False
        if self._parts:
            self._forget_parts()
        if update >= self._first_updates:
            self._marked = True

    # hooks

    def _before(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if self.paused:
            return
        with self._contain("the look at a batch"):
            import torch

            if not torch.is_grad_enabled():
                self._evaluated()
                return
            self.inputs = args, kwargs
            if not self._marked:
                self._marked = True
                self._trained(module, args, kwargs)

    def _evaluated(self) -> None:
        if self.evaluations < MAX_EVALUATIONS and self.trainings:
            self.evaluations += 1
            self.in_train |= {name for name, module in self._two_modes if module.training}

    def _trained(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.trainings += 1
        self.whole_in_eval = self.whole_in_eval or not module.training
        self.in_eval |= {name for name, part in self._two_modes if not part.training}
        found = list(tensors_in((args, kwargs)))[:MAX_TENSORS]
        sizes = [tensor.shape[0] for tensor in found if tensor.dim() > 0]
        self.batch_size = sizes[0] if sizes else None
        if found:
            self._marks.append([_mark(tensor) for tensor in found])

    def _after(self, module: Any, args: Any, output: Any) -> None:  # noqa: ARG002
        if self.paused or not self._lossy or self._first_loss is not None:
            return
        with self._contain("the look at the first loss"):
            loss, logits = _part(output, "loss"), _part(output, "logits")
            if loss is not None and logits is not None and loss.dim() == 0:
                self.note_loss(loss, logits.shape[-1])

    def note_loss(self, loss: Any, classes: int) -> None:
        """The first loss is kept; later ones say nothing about how it began."""
        if self._lossy and self._first_loss is None and classes > 1:
            self._first_loss = loss.detach().clone(), int(classes)

    def watch_criterion(self, criterion: Any) -> None:
        """Take the first loss from this module, if it is a mean over classes."""
        kind = type(criterion).__name__
        if kind not in CLASSIFIERS or getattr(criterion, "reduction", "") != "mean":
            return

        def look(module: Any, given: Any, output: Any) -> None:  # noqa: ARG001
            with self._contain("the look at the first loss"):
                if self._lossy and given and given[0].dim() > 1:
                    self.note_loss(output, given[0].shape[1])

        self._handles.append(criterion.register_forward_hook(look))

    def _note_order(self, name: str) -> Callable[..., None]:
        def look(module: Any, given: Any, output: Any) -> None:  # noqa: ARG001
            if self.paused:
                return
            with self._contain("the look at the order of modules"):
                self.order.setdefault(module_of(f"{name}."), len(self.order))
                here = [one for one in tensors_in(output) if one.device.type == "cpu"]
                if not finite(here):
                    self.usual.add(name)

        return look

    # what it says, to be asked later

    def loss_numbers(self) -> Callable[[], dict[str, float]] | None:
        """The first loss as a multiple of that of guessing."""
        if self._first_loss is None:
            return None
        loss, classes = self._first_loss
        gathered = Gathered([loss])
        return lambda: {
            "preflight/initial_loss_ratio": float(gathered.fetch()[0]) / math.log(classes)
        }

    def batch_numbers(self) -> Callable[[], dict[str, float]] | None:
        """The share of the first batches that came before."""
        marks = [Gathered(mark) for mark in self._marks]
        if len(marks) < 2:
            return None

        def make() -> dict[str, float]:
            seen: set[tuple[float, ...]] = set()
            repeated = 0
            for mark in marks:
                values = tuple(mark.fetch().tolist())
                repeated += values in seen
                seen.add(values)
            return {"preflight/repeated_batches": repeated / (len(marks) - 1)}

        return make


def tensors_in(value: Any, depth: int = 0) -> Iterator[Any]:
    """Tensors of arguments or results, in order."""
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif depth < MAX_TENSORS:
        inner = value.values() if isinstance(value, Mapping) else value
        if isinstance(value, Mapping | list | tuple):
            for one in inner:
                yield from tensors_in(one, depth + 1)


def _part(output: Any, name: str) -> Any:
    import torch

    part = output.get(name) if isinstance(output, Mapping) else getattr(output, name, None)
    return part if isinstance(part, torch.Tensor) else None


def _mark(tensor: Any) -> Any:
    """One number that two different batches hardly share: a sum with unequal weights."""
    import torch

    few = sample(tensor.detach()).float()
    weights = torch.arange(1, few.numel() + 1, device=few.device, dtype=torch.float32)
    return (few * torch.cos(weights)).sum()


def _with_two_modes(model: Any) -> Iterator[tuple[str, Any]]:
    """Modules that do something else in eval() than in train()."""
    for name, module in model.named_modules():
        kind = type(module).__name__
        drops = "Dropout" in kind and bool(getattr(module, "p", 0))
        if drops or ("BatchNorm" in kind and bool(getattr(module, "track_running_stats", False))):
            yield module_of(f"{name}."), module
