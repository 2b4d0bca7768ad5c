"""What a reader of the console wants to know about the run right now."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from runvitals.model import FloatArray, RowBlock, RunInfo
from runvitals.model.formatting import GENERIC
from runvitals.model.row import gathered

BINS = 64


class History:
    """Metrics that are logged together: their last values, extremes, and curves of `BINS` means.

    When the bins are full, neighbours are joined, so a curve always spans the whole run.
    """

    def __init__(self, count: int) -> None:
        self.rows = 0
        self.stamp = 0  # when it was last added to; its owner counts
        self.last: FloatArray = np.full(count, np.nan)
        self.low: FloatArray = np.full(count, np.nan)
        self.high: FloatArray = np.full(count, np.nan)
        self._stride = 1
        self._sums: FloatArray = np.zeros((BINS, count))
        self._counts: FloatArray = np.zeros((BINS, count))

    def add(self, values: FloatArray) -> None:
        """Take rows in, one column per metric."""
        n = len(values)
        while (self.rows + n - 1) // self._stride >= BINS:
            self._join_neighbours()
        bins = (self.rows + np.arange(n)) // self._stride
        starts = np.flatnonzero(np.diff(bins, prepend=-1))
        finite = np.isfinite(values)
        with np.errstate(over="ignore", invalid="ignore"):
            known = values if finite.all() else np.where(finite, values, 0.0)
            self._sums[bins[starts]] += np.add.reduceat(known, starts)
        self._counts[bins[starts]] += np.add.reduceat(finite.astype(np.float64), starts)
        self.low = np.fmin(self.low, np.fmin.reduce(values))
        self.high = np.fmax(self.high, np.fmax.reduce(values))
        self.last = values[-1].copy()
        self.rows += n

    def curve(self, column: int) -> FloatArray:
        """Means of equally many rows each, oldest first; NaN where nothing finite was logged."""
        used = -(-self.rows // self._stride)
        counts = self._counts[:used, column]
        means = np.full(used, np.nan)
        np.divide(self._sums[:used, column], counts, out=means, where=counts > 0)
        return means

    def _join_neighbours(self) -> None:
        for bins in (self._sums, self._counts):
            bins[: BINS // 2] = bins[0::2] + bins[1::2]
            bins[BINS // 2 :] = 0.0
        self._stride *= 2


def trend(curve: FloatArray) -> int:
    """1 when the last quarter of a curve lies clearly above the quarter before, -1 when below.

    >>> trend(np.arange(20.0)), trend(-np.arange(20.0)), trend(np.ones(20)), trend(np.arange(3.0))
    (1, -1, 0, 0)
    """
    known = curve[np.isfinite(curve)]
    quarter = len(known) // 4
    if quarter < 2:
        return 0
    new, old = known[-quarter:], known[-2 * quarter : -quarter]
    with np.errstate(over="ignore", invalid="ignore"):
        change = new.mean() - old.mean()
        noise = np.sqrt((new.var() + old.var()) / quarter)
        span = known.max() - known.min()
    if not abs(change) > max(1.5 * noise, 0.03 * span):
        return 0
    return 1 if change > 0 else -1


# the groups of the catalog by their titles and in its order; the exporters do not import it
GROUPS = ("outcome", "evaluation", "health", "data", "speed", "system", "other")

# what is worth a line first, per group, as parts of names
_FIRST = {
    "outcome": ("return", "ep_rew", "success", "win", "reward", "score", "acc", "margin"),
    "evaluation": ("acc", "pass@", "success", "return", "reward", "score", "loss"),
    "health": (
        "entropy", "approx_kl", "ppo_kl", "kl", "clip_frac", "clipfrac", "value_loss",
        "policy_loss", "pg_loss", "loss", "grad_norm", "explained_variance",
    ),
    "data": ("ep_len", "length/mean", "length", "clip_ratio"),
    "speed": ("steps_per_s", "sps", "fps", "tokens_per", "throughput", "updates_per", "mfu"),
    "system": ("gpu_util", "gpu_mem", "cpu", "mem"),
}  # fmt: skip
_REWARD_PARTS = ("penalty", "bonus", "absolute_score", "delta_score", "non_score_reward")
_LAST = ("std", "min", "max", "var", "variance", "median")
_MAX_SHAPES = 256
_MAX_CLASSIFIED = 100_000
TOTAL_STEPS = "progress/total_steps"
RARE = 4  # times less often logged than what is logged most (judgement)
MAX_FIRST_VALUES = 64  # by which a name is understood

Meet = Callable[[RunInfo, RowBlock], None]


@dataclass(frozen=True, slots=True)
class BoardMetric:
    """One metric, ready to be shown."""

    name: str
    group: str
    _shapes: list[tuple[History, int]]  # all that hold it, the most recently logged one last

    @property
    def last(self) -> float:
        """The newest value."""
        history, i = max(self._shapes, key=lambda shape: shape[0].stamp)
        return float(history.last[i])

    @property
    def rows(self) -> int:
        """How often it was logged."""
        return sum(history.rows for history, _ in self._shapes)

    @property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest value so far."""
        lows = [float(history.low[i]) for history, i in self._shapes]
        highs = [float(history.high[i]) for history, i in self._shapes]
        return min(lows, key=_nan_last), max(highs, key=lambda high: -_nan_last(-high))

    @property
    def curve(self) -> FloatArray:
        """The run so far, from the set of names that it was mostly logged with."""
        history, i = max(self._shapes, key=lambda shape: shape[0].rows)
        return history.curve(i)

    @property
    def trend(self) -> int:
        """1 up, -1 down, 0 neither."""
        return trend(self.curve)


def _nan_last(value: float) -> float:
    return math.inf if math.isnan(value) else value


class Board:
    """Keeps last values, curves, step and speed of a run, in bounded memory."""

    def __init__(
        self,
        info: RunInfo,
        classify: Callable[[str], str],
        place: Callable[[str], int | None] | None = None,
        meet: Meet | None = None,
    ) -> None:
        self.info = info
        self._meet = meet
        self.outcome: str | None = None  # what the verdict rests on, once there is one
        self.step: int | None = None
        self.rows = 0  # of the program's own; the machine is sampled at its own pace
        self._began = time.monotonic()
        self._classify, self._place = classify, place
        self._groups: dict[str, str] = {}
        self._total: float | None = None
        self._shapes: dict[tuple[str, ...], History] = {}
        self._pace: deque[tuple[float, int]] = deque(maxlen=32)
        self._readings: dict[str, list[BoardMetric]] | None = None
        self._totals: dict[tuple[str, ...], list[int]] = {}
        self._stamp = 0

    def update(self, blocks: Sequence[RowBlock]) -> None:
        """Take in what was logged."""
        newest = -math.inf
        for block in gathered(blocks):
            history = self._history(block.names)
            before = history.rows
            history.add(block.values)
            if before < MAX_FIRST_VALUES and before.bit_length() < history.rows.bit_length():
                self._meet_names(block)
            for i in self._totals.get(block.names, ()):
                if history.last[i] > 0:
                    self._total = float(history.last[i])
            if all(self.group(name) == "system" for name in block.names[:8]):
                continue
            self.rows += len(block)
            at = float(block.times[-1])
            if not at < newest:
                self.step = int(block.steps[-1])
                newest = at
        if newest > -math.inf and self.step is not None:
            self._pace.append((newest, self.step))

    @property
    def elapsed(self) -> float:
        """Seconds since this process began to record."""
        return time.monotonic() - self._began

    def group(self, name: str) -> str:
        """Where a metric belongs; asked once per name."""
        found = self._groups.get(name)
        if found is None:
            if len(self._groups) >= _MAX_CLASSIFIED:
                self._groups.clear()
            try:
                found = self._classify(name)
            except Exception:  # noqa: BLE001  (a name that cannot be classified is still shown)
                found = "other"
            if name == TOTAL_STEPS:
                found = "total"
            elif found not in GROUPS and found != "total":
                found = "other"
            self._groups[name] = found
        return found

    def readings(self) -> dict[str, list[BoardMetric]]:
        """All metrics by group in reading order, the telling ones first.

        What the verdict rests on comes before everything else, with its group. In each group, what is
        logged now and then comes last: `rv.watch` adds a dozen norms every 50 updates. Of the health,
        what moves comes first: TRL logs five clip ratios that stay at 0 for long.
        """
        groups = self._by_group()
        often = [one.rows for group, mine in groups.items() if group != "system" for one in mine]
        least = max(often, default=0) / RARE

        def place(one: BoardMetric) -> tuple[bool, bool, bool]:
            still = one.group == "health" and one.span[0] == one.span[1]
            return one.name != self.outcome, one.rows < least, still

        groups = {group: sorted(mine, key=place) for group, mine in groups.items()}
        main = self.main
        return groups if main is None else {main.group: groups[main.group], **groups}

    @property
    def main(self) -> BoardMetric | None:
        """What the verdict rests on."""
        found = (one for mine in self._by_group().values() for one in mine)
        return next((one for one in found if one.name == self.outcome), None)

    def _by_group(self) -> dict[str, list[BoardMetric]]:
        if self._readings is None:
            owners: dict[str, list[tuple[History, int]]] = {}
            for names, history in self._shapes.items():
                for i, name in enumerate(names):
                    owners.setdefault(name, []).append((history, i))
            self._readings = {group: [] for group in GROUPS}
            for name, shapes in owners.items():
                if (group := self.group(name)) in self._readings:
                    self._readings[group].append(BoardMetric(name, group, shapes))
            for mine in self._readings.values():
                mine.sort(key=self._importance)
        return self._readings

    def _importance(self, reading: BoardMetric) -> tuple[int, int, int]:
        known = self._place(reading.name) if self._place is not None else None
        return (0, known, 0) if known is not None else (1, *importance(reading.group, reading.name))

    @property
    def total(self) -> float | None:
        """How many steps there will be, when the run said so."""
        told = self.info.progress.get("total_steps")
        if isinstance(told, (int, float)) and math.isfinite(told) and told > 0:
            return float(told)
        return self._total

    @property
    def steps_per_second(self) -> float | None:
        """The pace over the last half minute or so."""
        if len(self._pace) < 2:
            return None
        (t0, s0), (t1, s1) = self._pace[0], self._pace[-1]
        return (s1 - s0) / (t1 - t0) if t1 > t0 and s1 > s0 else None

    @property
    def seconds_left(self) -> float | None:
        """Until the last step, at this pace."""
        total, pace = self.total, self.steps_per_second
        if total is None or pace is None or self.step is None:
            return None
        return max(0.0, total - self.step) / pace

    def _meet_names(self, block: RowBlock) -> None:
        """Names are understood together, and by their numbers: asked again while these are few."""
        if self._meet is not None and block.values.size:
            few = slice(MAX_FIRST_VALUES)
            columns = (block.steps[few].copy(), block.times[few].copy(), block.values[few].copy())
            try:
                self._meet(self.info, RowBlock(block.names, *columns, block.rank))
            except Exception:  # noqa: BLE001  (names that are not understood are still shown)
                return
        self._groups.clear()
        self._readings = None
        if totals := [i for i, name in enumerate(block.names) if self.group(name) == "total"]:
            self._totals[block.names] = totals

    def _history(self, names: tuple[str, ...]) -> History:
        found = self._shapes.get(names)
        if found is None:
            if len(self._shapes) >= _MAX_SHAPES:
                oldest = min(self._shapes, key=lambda shape: self._shapes[shape].stamp)
                del self._shapes[oldest]
            found = self._shapes[names] = History(len(names))
            self._readings = None
        self._stamp += 1
        found.stamp = self._stamp
        return found


def importance(group: str, name: str) -> tuple[int, int]:
    """Sorts the telling metrics of a group to the front, spreads and extremes to the back.

    >>> sorted(["train/lr", "loss/value_loss", "train/entropy"], key=lambda n: importance("health", n))
    ['train/entropy', 'loss/value_loss', 'train/lr']
    """
    lowered = name.lower()
    words = _FIRST.get(group, ())
    place = next((i for i, word in enumerate(words) if word in lowered), len(words))
    return int(lowered.endswith(_LAST) or is_reward_part(name)), place


def is_reward_part(name: str) -> bool:
    """Whether this is one component of the reward; `critic/rewards/mean` is the whole.

    >>> is_reward_part("reward/format"), is_reward_part("critic/rewards/mean")
    (True, False)
    """
    *folders, last = name.lower().split("/")
    inside = any(folder.startswith("reward") for folder in folders) and last not in GENERIC
    return inside or any(word in name.lower() for word in _REWARD_PARTS)
