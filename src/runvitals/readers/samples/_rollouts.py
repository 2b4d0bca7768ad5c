"""Files of rollouts as a log: samples to read, and curves where no other log tells of the run."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import ReadError, RowBlock, Sample
from runvitals.readers.log import Blocks, Log, Reader
from runvitals.rollouts.record import is_rollout, rollout_of, scores_in

Row = Mapping[str, Any]
_STEP = ("step", "global_step", "global_steps", "iteration", "train_step", "training_step",
         "update", "step_index")  # fmt: skip
_HELD_OUT = frozenset(
    {"validation_data", "validation_data_dir", "validation", "val_generations", "eval_rollouts"}
)
_DEPTH = 3  # folders above a file that may name its step
_STEP_FOLDER = re.compile(r"(?:global_)?step[_-]?\d+").fullmatch
_NUMBER = re.compile(r"(?:^|[^\d])(\d{1,9})$")  # at the end of a file's or folder's name


def sureness(path: Path, names: Iterable[str]) -> int:
    """Confidence that rows with these fields are rollouts: they have a score and a step."""
    names = [str(name) for name in names]
    if not is_rollout(names) or not scores_in(names):
        return 0
    lower = {name.lower() for name in names}
    if lower.isdisjoint(_STEP) and _step_in(path) is None:
        return 0
    return 96


def rollouts_reader(
    reader_id: str,
    title: str,
    sniff: Callable[[Path, bytes], int],
    rows_of: Callable[[Path], Iterable[Row]],
) -> Reader:
    """The reader of files that hold rollouts as rows, be it one file or those of all steps."""

    def read_together(paths: Sequence[Path]) -> list[Log]:
        return _log_of(paths, reader_id, rows_of)

    return Reader(
        reader_id,
        title,
        sniff,
        lambda path: read_together([path]),
        role="samples",
        read_together=read_together,
    )


def _log_of(
    paths: Sequence[Path], reader_id: str, rows_of: Callable[[Path], Iterable[Row]]
) -> list[Log]:
    """The log of some files. Nothing is read yet."""

    def samples() -> Iterator[Sample]:
        for path in sorted(paths, key=lambda path: (_step_in(path) or 0, str(path))):
            named = _step_in(path)
            more = {"split": "validation"} if _is_held_out(path) else {}
            for number, row in enumerate(rows_of(path)):
                yield Sample(
                    _step_of(row, named, number), math.nan, {**more, **row} if more else row
                )

    return [
        Log(
            paths[0],
            reader_id,
            events=samples,
            has_samples=True,
            histograms=lambda _: (),
            read_points=lambda: curves_of(samples(), paths[0]),
        )
    ]


def curves_of(samples: Iterable[Sample], path: Path) -> Blocks:
    """Means of each step: reward, its spread and parts, lengths, and how many were cut off."""
    steps: dict[int, dict[str, _Moments]] = {}
    for sample in samples:
        one = rollout_of(sample)
        if one is None:
            continue
        at = steps.setdefault(one.step, {})
        prefix = "eval_" if one.held_out else ""
        values = {
            "reward": one.reward,
            "completions/mean_length": one.tokens,
            "completions/clipped_ratio": math.nan if one.cut is None else float(one.cut),
            **{f"rewards/{name}/mean": value for name, value in (one.parts or {}).items()},
        }
        for name, value in values.items():
            if math.isfinite(value):
                at.setdefault(prefix + name, _Moments()).add(value)
    names = tuple(dict.fromkeys(name for at in steps.values() for name in at))
    if not names:
        raise ReadError(path, "no score in any of the rollouts")
    order, none = sorted(steps), _Moments()
    table = [[steps[step].get(name, none).mean for name in names] for step in order]
    if "reward" in names:
        spread = [steps[step].get("reward", none).spread for step in order]
        names = (*names, "reward_std")
        table = [[*row, more] for row, more in zip(table, spread, strict=True)]
    times = np.full(len(order), np.nan)
    return [(1, RowBlock(names, np.array(order, np.int64), times, np.array(table, np.float64)))]


@dataclass(slots=True)
class _Moments:
    """Mean and spread of numbers that are not kept (Welford)."""

    count: int = 0
    mean: float = math.nan
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        before = self.mean if self.count > 1 else value
        self.mean = before + (value - before) / self.count
        self.squares += (value - before) * (value - self.mean)

    @property
    def spread(self) -> float:
        return math.sqrt(self.squares / self.count) if self.count else math.nan


def _step_of(row: Row, named: int | None, number: int) -> int:
    for name in _STEP:
        value = row.get(name)
        if isinstance(value, int | float) and math.isfinite(value) and abs(value) < 2**53:
            return int(value)
    return number if named is None else named


def _step_in(path: Path) -> int | None:
    """The step in the name of a file, or of a folder that holds it: `12.jsonl`, `step_12/0.jsonl`."""
    folders = [parent.name for parent in path.parents[:_DEPTH]]
    for name in (*folders, path.stem) if path.stem.isdecimal() else (path.stem, *folders):
        if name.lower().startswith(("step", "global_step")) and (found := _NUMBER.search(name)):
            return int(found[1])
    found = _NUMBER.search(path.stem)
    return int(found[1]) if found else None


def _is_held_out(path: Path) -> bool:
    """By its folder, or by that of a kind of rollouts within a step: `step_12/eval/all`."""
    within = [parent.name.lower() for parent in path.parents[:_DEPTH]]
    return within[0] in _HELD_OUT or ("eval" in within and any(map(_STEP_FOLDER, within)))
