"""Units that no longer answer: rectifiers that never fire, squashers that never leave their ends."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from runvitals.model import labelled
from runvitals.recorder.network.blocks import WHOLE, plain_label
from runvitals.recorder.network.tensors import Gathered

# judgement: five batches some steps apart; a unit that is rare but alive answers to one of them
SILENT_FOR = 5
MAX_ROWS = 512  # samples or tokens of a batch that are looked at
MAX_SIDE = 8  # images, rows and columns of a feature map that are looked at
MAX_LAYERS = 64
NEAR_THE_END = 0.99  # of tanh, and as far along a sigmoid: the slope is below 2% of its largest
RECTIFIERS = ("relu", "gelu", "silu", "swish", "mish")
NEVER_SILENT = ("leaky", "prelu", "rrelu")
SQUASHERS = ("tanh", "sigmoid")


def kind_of(module: Any) -> str | None:
    """`dead` or `saturated`: the way in which the units of this activation fail; None for others."""
    name = type(module).__name__.lower()
    if any(module.children()) or any(one in name for one in NEVER_SILENT):
        return None
    if any(one in name for one in RECTIFIERS):
        return "dead"
    plain = any(name.startswith(one) for one in SQUASHERS)  # not Hardtanh, LogSigmoid, Tanhshrink
    return "saturated" if plain and not name.endswith("shrink") else None


class UnitWatch:
    """Hooks on activation modules, in place only while a step is measured."""

    def __init__(self, model: Any, contain: Callable[[str], Any]) -> None:
        self._contain = contain
        found = [(name, module, kind_of(module)) for name, module in model.named_modules()]
        self._layers = [
            (name, weakref.ref(module), kind) for name, module, kind in found if kind is not None
        ][:MAX_LAYERS]
        self._handles: list[Any] = []
        self._calls: dict[str, int] = {}
        self._last_answer: dict[tuple[str, int, int], Any] = {}  # layer, call, units
        self._kinds: dict[str, str] = {name: kind for name, _, kind in self._layers}
        self._seen: dict[tuple[str, int, int], int] = {}
        self._looks = 0

    def begin(self) -> None:
        """Look at the forward passes of the coming step."""
        self._looks += 1
        self._calls = {}
        for name, reference, kind in self._layers:
            module = reference()
            if module is not None:
                self._handles.append(module.register_forward_hook(self._hook(name, kind)))

    def end(self) -> None:
        """Take the hooks off again."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _hook(self, name: str, kind: str) -> Callable[..., None]:
        def look(module: Any, inputs: Any, output: Any) -> None:  # noqa: ARG001
            with self._contain("the look at the units"):
                self._look(name, kind, output, sigmoid="sigmoid" in type(module).__name__.lower())

        return look

    def _look(self, name: str, kind: str, output: Any, *, sigmoid: bool) -> None:
        import torch

        if not isinstance(output, torch.Tensor) or not torch.is_grad_enabled():
            return
        rows = _rows(output.detach())
        if rows is None:
            return
        if kind == "dead":
            answers = (rows > 0).any(dim=0)
        else:
            centred = 2 * rows - 1 if sigmoid else rows
            answers = (centred.abs() < NEAR_THE_END).any(dim=0)
        call = self._calls[name] = self._calls.get(name, 0) + 1
        key = name, call, rows.shape[1]
        before = self._last_answer.get(key)
        if before is None:
            if len(self._last_answer) >= 2 * MAX_LAYERS:
                return
            before = torch.full((rows.shape[1],), self._looks - 1, device=rows.device)
            self._seen[key] = self._looks - 1
        self._last_answer[key] = torch.where(answers, self._looks, before)

    def numbers(self) -> Callable[[], dict[str, float]] | None:
        """Shares of silent units by block and overall, once they can be known; to be asked later."""
        ready = [key for key in self._last_answer if self._looks - self._seen[key] >= SILENT_FOR]
        if not ready:
            return None
        silent = [(self._looks - self._last_answer[key] >= SILENT_FOR).sum() for key in ready]
        gathered = Gathered(silent)

        def make() -> dict[str, float]:
            counts: dict[str, list[float]] = {}
            for (name, _, units), count in zip(ready, gathered.fetch().tolist(), strict=True):
                metric = f"net/{self._kinds[name]}_units"
                for label in (metric, labelled(metric, block=plain_label(name) or WHOLE)):
                    so_far = counts.setdefault(label, [0.0, 0.0])
                    so_far[0] += count
                    so_far[1] += units
            return {label: silent / units for label, (silent, units) in counts.items()}

        return make


def _rows(output: Any) -> Any:
    """Samples by units: channels of an image are units, positions are samples."""
    if output.dim() < 2:
        return None
    if output.dim() in (4, 5):
        images, _, *sides = output.shape
        thin = (_thinned(images), slice(None), *(_thinned(side) for side in sides))
        output = output[thin].movedim(1, -1)
    rows = output.reshape(-1, output.shape[-1])
    return rows[:: max(1, rows.shape[0] // MAX_ROWS)]


def _thinned(size: int) -> slice:
    return slice(None, None, max(1, size // MAX_SIDE))
