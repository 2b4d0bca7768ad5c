"""`rv.watch(model, optimizer)`: measures a PyTorch network in training, every so many updates."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from runvitals.model import ConfigError
from runvitals.recorder.live import LiveRun
from runvitals.recorder.network import measure
from runvitals.recorder.network.blocks import Parameters, optimizers_of
from runvitals.recorder.network.forward import ForwardWatch
from runvitals.recorder.network.leak import probe
from runvitals.recorder.network.noise import NoiseWatch
from runvitals.recorder.network.nonfinite import NonFiniteWatch, replay
from runvitals.recorder.network.preflight import FIRST_UPDATES, Preflight, modes_in_evaluation
from runvitals.recorder.network.units import UnitWatch
from runvitals.recorder.values import DeferredNumbers

EVERY = 50  # updates: `python -m benchmarks.recording.watch` shows what that costs
# updates that are measured as well: much of what goes wrong does so early
EARLY = (1, 2, 5, 10, 20)
DEVICE_EVERY = 10  # updates after which a device's answers about non-finite gradients are fetched
MAX_FAILURES = 3  # of one kind, after which the watch takes its hooks off

Make = Callable[[], Mapping[str, float]]


class Watch:
    """A network under observation; made by `rv.watch`. `close()` takes all hooks off.

    Nothing of it raises into the training loop or waits for a device inside it: what it computes
    there stays on the device and is fetched when the run is flushed.
    """

    def __init__(
        self,
        model: Any,
        optimizer: Any,
        run: LiveRun,
        *,
        every: int = EVERY,
        loss_fn: Any = None,
        learns: Sequence[str] = (),
        probe: bool = True,
    ) -> None:
        if not hasattr(model, "named_parameters"):
            raise ConfigError(
                f"watch() needs a torch.nn.Module, got {type(model).__name__}",
                hint="for JAX, log rv.tree_vitals(params, grads, updates)",
            )
        if not isinstance(every, int) or every < 1:
            raise ConfigError(f"every must be a number of updates, got {every!r}")
        self._run = run
        self._model = weakref.ref(model)
        self._every = every
        self._probes = probe
        self._steps: dict[int, int] = {}  # updates of each optimiser
        self._before: dict[int, measure.Before] = {}
        self._failures: dict[str, int] = {}
        self._handles: list[Any] = []
        optimizers = optimizers_of(optimizer)
        self._parameters = Parameters(model, optimizers)
        self._forward = ForwardWatch(model, self._contained, FIRST_UPDATES)
        if loss_fn is not None and hasattr(loss_fn, "register_forward_hook"):
            self._forward.watch_criterion(loss_fn)
        self._preflight = Preflight(self._parameters, learns)
        self._nonfinite = NonFiniteWatch(self._parameters)
        self._units = UnitWatch(model, self._contained)
        self._noise = NoiseWatch(self._parameters.tensors, self._contained)
        self._evaluations_told = 0
        for one in optimizers:
            self._handles.append(one.register_step_pre_hook(self._before_step))
            self._handles.append(one.register_step_post_hook(self._after_step))
        self._arm()

    # what users call

    def loss(self, loss: Any, classes: int) -> None:
        """Tell the loss of the first batch, a mean cross-entropy over so many classes."""
        with self._contained("the first loss"):
            self._forward.note_loss(loss, classes)

    def close(self) -> None:
        """Take all hooks off; what was measured stays. Safe to call twice."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._units.end()
        self._noise.end()
        self._forward.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # hooks of the optimiser

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:  # noqa: ARG002
        with self._contained("the watch, before an update"):
            which = self._which(optimizer)
            update = self._steps[which] = self._steps.get(which, 0) + 1
            if update <= FIRST_UPDATES:
                self._preflight.look(optimizer)
            self._look_for_nonfinite(optimizer, update)
            if self._is_measured(update):
                self._before[which] = measure.measure_before(self._parameters, optimizer)

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:  # noqa: ARG002
        with self._contained("the watch, after an update"):
            which = self._which(optimizer)
            update = self._steps.get(which, 0)
            before = self._before.pop(which, None)
            makers: list[Make | None] = []
            if before is not None:
                makers.append(measure.measure_after(self._parameters, optimizer, before).numbers)
                makers += self._of_hooks(which)
            makers += self._of_start(update, which)
            if update % DEVICE_EVERY == 0 or before is not None:
                makers.append(self._nonfinite.numbers(self._forward.order))
            self._attach(makers, update)
            self._forward.updated(update)
            if which == 0 and self._is_measured(update + 1):
                self._arm()

    def _which(self, optimizer: Any) -> int:
        for place, one in enumerate(self._parameters.optimizers):
            if one is optimizer:
                return place
        return 0

    def _is_measured(self, update: int) -> bool:
        return update % self._every == 0 or (update in EARLY and update < self._every)

    def _arm(self) -> None:
        """Hooks on the parts of the model, for the coming update only."""
        self._units.begin()
        self._noise.begin()

    def _of_hooks(self, which: int) -> list[Make | None]:
        """What the hooks saw; with several optimisers, the first one's update ends a step."""
        if which:
            return []
        self._units.end()
        self._noise.end()
        return [self._units.numbers(), self._noise.numbers(self._forward.batch_size)]

    def _of_start(self, update: int, which: int) -> list[Make | None]:
        makers: list[Make | None] = []
        if update == 1 and which == 0:
            first = self._preflight.at_first()
            makers += [lambda: first, self._forward.loss_numbers(), self._leaks()]
        if self._preflight.ready:
            makers += self._preflight.numbers(self._forward)
        if self._forward.evaluations and not self._evaluations_told:
            self._evaluations_told = self._forward.evaluations
            found = modes_in_evaluation(self._forward)
            makers.append(lambda: found)
        return makers

    def _leaks(self) -> Make | None:
        model, inputs = self._model(), self._forward.inputs
        if not self._probes or model is None or inputs is None:
            return None
        self._forward.paused = True
        try:
            return probe(model, inputs)
        except Exception as error:  # noqa: BLE001 - the model may not be one that can be called again
            self._say("the probe for leaks", error)
            return None
        finally:
            self._forward.paused = False

    def _look_for_nonfinite(self, optimizer: Any, update: int) -> None:
        origin = self._nonfinite.look(optimizer, update, self._forward.order)
        if origin is None:
            return
        model, inputs = self._model(), self._forward.inputs
        if origin.kind == "loss" and self._probes and model is not None and inputs is not None:
            self._forward.paused = True
            try:
                origin = replay(model, inputs, self._forward.usual) or origin
            except Exception as error:  # noqa: BLE001 - as above
                self._say("the search for the first non-finite module", error)
            finally:
                self._forward.paused = False
        found = origin.numbers(update)
        self._attach([lambda: found], update)

    def _attach(self, makers: Sequence[Make | None], update: int) -> None:
        mine = [make for make in makers if make is not None]
        if mine:
            self._run.attach(DeferredNumbers(lambda: measure.later(mine)), update)

    # whatever goes wrong

    @contextmanager
    def _contained(self, what: str) -> Iterator[None]:
        """What is raised inside is said once and goes no further."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the watch must not hurt the training
            self._say(what, error)

    def _say(self, what: str, error: Exception) -> None:
        count = self._failures[what] = self._failures.get(what, 0) + 1
        self._run.complain(f"watch: {what}", f"{what} failed: {type(error).__name__}: {error}")
        if count >= MAX_FAILURES:
            self.close()
