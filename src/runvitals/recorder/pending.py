"""Numbers that come about between two `log()` calls and ride along with the next one."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from runvitals.recorder.buffer import Complain
from runvitals.recorder.values import DeferredNumbers

# Words people use, and the stage names under which timings are logged.
_STAGES = {
    word: stage
    for stage, words in {
        "gen": "generation generate rollout",
        "reward": "rewards scoring",
        "old_log_prob": "old_logprob old_logprobs",
        "ref": "reference ref_log_prob ref_logprob",
        "adv": "advantage advantages",
        "update_actor": "actor_update policy_update",
        "update_critic": "critic_update value_update",
        "update_weights": "weight_sync sync_weights",
    }.items()
    for word in words.split()
}
_COUNTERS = {
    "env_steps": ("progress/env_steps", "throughput/env_steps_per_s"),
    "updates": ("progress/optimizer_steps", "throughput/updates_per_s"),
    "tokens": ("progress/tokens", "throughput/tokens_per_s"),
    "samples": ("progress/samples", "throughput/samples_per_s"),
    "episodes": ("progress/episodes", "throughput/episodes_per_s"),
}


def _metric(counter: str) -> str:
    return _COUNTERS.get(counter, (f"progress/{counter}", ""))[0]


def _rate(counter: str) -> str:
    return _COUNTERS.get(counter, ("", f"throughput/{counter}_per_s"))[1]


@dataclass(slots=True)
class Timing:
    """Handed to the `with` block of a timer; set `tokens` to get the time per token too."""

    seconds: float = math.nan
    tokens: float | None = None


class PendingValues:
    """Timers and counters of one run."""

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, complain: Complain | None = None
    ) -> None:
        self._clock = clock
        self._complain = complain
        self._lock = threading.RLock()  # for a moment only; a signal handler may come in between
        self._seconds: dict[str, float] = {}
        self._tokens: dict[str, float] = {}
        self._totals: dict[str, float] = {}
        self._since: dict[str, tuple[float, float]] = {}  # total and time at the last log()
        self._touched: set[str] = set()
        self._attached: list[tuple[DeferredNumbers, int]] = []
        self._began = clock()
        self._before: Callable[[str, int], float | None] | None = None
        # whether anything rides along with the next `log()`, which asks each time
        self.waits = False

    def __bool__(self) -> bool:
        return self.waits

    def _note(self) -> None:
        """Something came or went, under the lock."""
        self.waits = bool(self._seconds or self._touched or self._attached)

    def attach(self, later: DeferredNumbers, step: int) -> None:
        """Numbers that are known only later; `step` is theirs if no row comes to take them along."""
        with self._lock:
            self._attached.append((later, step))
            self._note()

    def take_attached(self, before: int | None = None) -> list[tuple[DeferredNumbers, int]]:
        """What was attached since the last row; only what belongs before that step, if one is given."""
        with self._lock:
            taken = [one for one in self._attached if before is None or one[1] < before]
            self._attached = [one for one in self._attached if one not in taken]
            self._note()
        return taken

    @contextmanager
    def timer(self, stage: str, tokens: float | None = None) -> Iterator[Timing]:
        """Time a stage; several passes before the next `log()` add up."""
        name = _STAGES.get(str(stage), str(stage))
        timing = Timing(tokens=tokens)
        start = self._clock()
        try:
            yield timing
        finally:
            timing.seconds = self._clock() - start
            self._timed(name, timing)

    def _timed(self, name: str, timing: Timing) -> None:
        tokens = 0.0
        try:
            tokens = 0.0 if timing.tokens is None else float(timing.tokens)
        except Exception as error:  # noqa: BLE001 - any user type may fail in any way
            if self._complain is not None:
                kind = type(error).__name__
                self._complain(
                    f"tokens {name}", f"the token count of {name!r} must be a number ({kind})"
                )
        with self._lock:
            self._seconds[name] = self._seconds.get(name, 0.0) + timing.seconds
            if timing.tokens is not None:
                self._tokens[name] = self._tokens.get(name, 0.0) + tokens
            self._note()

    def count(self, amounts: Mapping[str, float]) -> None:
        """Add to the counters."""
        for name, amount in amounts.items():
            number = float(amount)
            with self._lock:
                self._since.setdefault(name, (0.0, self._began))
                self._totals[name] = self._totals.get(name, 0.0) + number
                self._touched.add(name)
                self._note()

    def restore(
        self,
        noted: Mapping[str, float],
        stored: Callable[[str, int], float | None] | None = None,
        last_step: int = -1,
    ) -> None:
        """Go on counting where an earlier process stopped.

        `stored` knows the last value of a metric before a step. At which step the run goes on is known
        with its first row; what was noted in passing, at `last_step`, counts only where nothing was
        stored and the run goes on behind it.
        """

        def before(name: str, step: int) -> float | None:
            known = None if stored is None else stored(_metric(name), step)
            return noted.get(name) if known is None and step > last_step else known

        self._before = before
        for name in noted:
            self._totals.setdefault(name, 0.0)

    def _go_on(self, step: int) -> None:
        """The run goes on here: add what was counted before."""
        before, self._before = self._before, None
        for name, counted in self._totals.items() if before is not None else ():
            base = before(name, step) or 0.0 if before is not None else 0.0
            self._totals[name] = base + counted
            _, at = self._since.get(name, (0.0, self._began))
            # else the first rate would count the earlier process too
            self._since[name] = (base, at)

    def totals(self) -> dict[str, float]:
        """All counters as they stand; nothing until the first row of a run that goes on."""
        return {} if self._before is not None else dict(self._totals)

    def take(self, step: int = 0) -> dict[str, float]:
        """What rides along with this `log()`."""
        with self._lock:
            if self._before is not None:
                self._go_on(step)
            return self._take()

    def _take(self) -> dict[str, float]:
        values = {f"timing_s/{stage}": seconds for stage, seconds in self._seconds.items()}
        for stage, tokens in self._tokens.items():
            if tokens > 0:
                values[f"timing_per_token_ms/{stage}"] = 1000.0 * self._seconds[stage] / tokens
        now = self._clock()
        for name in sorted(self._touched):
            total = self._totals[name]
            before, at = self._since[name]
            counter, rate = _metric(name), _rate(name)
            values[counter] = total
            if now > at:
                values[rate] = (total - before) / (now - at)
            self._since[name] = (total, now)
        self._seconds, self._tokens, self._touched = {}, {}, set()
        self._note()
        return values
