"""Console output of Hugging Face's Trainer and TRL: `{'loss': 0.5, 'epoch': 0.01}` among tqdm bars.

The printed dicts hold no step. It is taken from the progress bar where bars and rows come in turn;
where the output was buffered (all rows after all bars) rows are counted, and a warning says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import FloatArray
from runvitals.readers._console import (
    HIDDEN,
    Axis,
    Found,
    LineParser,
    is_text,
    read_console,
    rows_at_start,
)
from runvitals.readers._console_literal import parse_literal
from runvitals.readers.log import Log
from runvitals.readers.numbers import as_number
from runvitals.readers.table import BoolArray, Column, Table

ID = "hf-console"
TITLE = "Hugging Face Trainer console log"

_STEP, _OWN, _BAR, _KIND = (HIDDEN + name for name in ("step", "own", "bar", "kind"))
_TRAIN, _EVAL, _SUMMARY = 0.0, 1.0, 2.0
_DICT = re.compile(r"""\{\s{0,2}['"]""")
_BAR_TEXT = re.compile(r"\d{1,3}%\|[^|\n]{0,300}\| *(\d{1,12})/(\d{1,12}) \[")
_MARK = re.compile(rb"\{'[^'\n]{1,200}': ?[-'\dniNa]")
_STARTED = re.compile(rb"\*{5} Running training \*{5}|\d%\|[^|\n]{1,80}\| \d+/\d+ \[[\d:]+<")
_OWN_STEPS = ("step", "global_step", "current_steps", "global_step/max_steps")
_TELLING = frozenset({"loss", "eval_loss", "train_loss", "grad_norm", "reward", "rewards/margins"})
# Words that stand in settings and never in what a trainer logs.
_SETTINGS = frozenset(
    {
        "model", "model_name", "model_path", "optimizer", "betas", "weight_decay", "batch_size",
        "train_batch_size", "per_device_train_batch_size", "gradient_accumulation_steps", "seed",
        "num_train_epochs", "max_steps", "warmup_steps", "dtype", "zero_optimization", "lr_scheduler",
        "max_model_len", "tensor_parallel_size", "gpu_memory_utilization", "max_new_tokens",
        "temperature", "gradient_clipping", "fp16", "bf16", "num_layers", "hidden_size",
    }
)  # fmt: skip


class Parser(LineParser):
    """Rows are dicts; the bars before them say at which step."""

    ID = ID

    def __init__(self) -> None:
        super().__init__()
        self._bars: dict[int, int] = {}  # total of a bar: where it stands
        self._newest = (math.nan, 0)
        self._total = 0  # total of the bar that stood before the last training row
        self._mode = ""  # own, bar or count: decided once
        self._stride = 1
        self._copies = False
        self._counted = 0
        self._before = 0.0  # the step of the last row
        self._epochs: list[float] = []

    def feed(self, line: str) -> Iterator[Found]:
        """The row on this line; a bar is remembered."""
        if "%|" in line:
            self._see_bar(line)
        if "{" not in line:
            return
        place = 0
        for _ in range(3):
            begin = _DICT.search(line, place)
            if begin is None:
                return
            found = parse_literal(line, begin.start())
            if found is None:
                place = begin.end()
                continue
            row, place = found
            if isinstance(row, dict) and is_metrics(row):
                yield "", self._placed(row)

    def _see_bar(self, line: str) -> None:
        for bar in _BAR_TEXT.finditer(line):
            words = line[: bar.start()].rpartition("]")[2].strip().lower()
            if words and "train" not in words and "step" not in words:
                continue  # "Map: 10%|", "Loading checkpoint shards: 50%|"
            count, total = int(bar[1]), int(bar[2])
            if len(self._bars) < 64 or total in self._bars:
                self._bars[total] = count
                self._newest = (count, total)

    def _placed(self, row: dict[str, Any]) -> Mapping[str, Any]:
        bar: float
        if "train_runtime" in row:
            kind = _SUMMARY
            self.finished = True
        elif any(name.startswith(("eval_", "test_", "predict_")) for name in row):
            kind = _EVAL
        else:
            kind = _TRAIN
            self.finished = False
        if kind == _TRAIN:
            bar, self._total = self._newest
        else:
            bar = self._bars.get(self._total, math.nan)
        own = next((s for name in _OWN_STEPS if (s := _own_step(row.get(name))) is not None), None)
        return {**row, _KIND: kind, _BAR: bar, _OWN: math.nan if own is None else own}

    def settle(self, axis: Axis, table: Table) -> tuple[Table, str | None]:  # noqa: ARG002
        """Give every row a step."""
        kind, bar, own = (table.columns.pop(name).values for name in (_KIND, _BAR, _OWN))
        train = kind == _TRAIN
        copy = self._repeats(table, train)
        if not self._mode:
            self._decide(train & ~copy, bar, own)
        if self._mode == "own":
            steps = own
        elif self._mode == "bar":
            steps = bar
        else:
            steps = self._count(table, train, copy)
        placed = np.where(np.isfinite(steps), steps, np.nan)
        for row in range(len(placed)):  # rows without a place of their own stand at the last one
            if np.isnan(placed[row]):
                placed[row] = self._before
            self._before = float(placed[row])
        table.columns[_STEP] = Column(placed, np.ones(table.rows, np.bool_))
        return table, _STEP

    def _decide(self, train: BoolArray, bar: FloatArray, own: FloatArray) -> None:
        if not train.any():
            self._mode = "bar" if np.isfinite(bar).any() else "count"
            return
        if np.isfinite(own[train]).mean() > 0.9:
            self._mode = "own"
            return
        bars = bar[train]
        known = bars[np.isfinite(bars)]
        moves = np.diff(known) != 0
        if len(known) > 0.9 * len(bars) and (len(moves) == 0 or moves.mean() >= 0.9):
            self._mode = "bar"
            return
        self._mode = "count"
        given = as_number(self.config.get("logging_steps"))
        if given is not None and 1 <= given < 1e9 and given == int(given):
            self._stride = int(given)
            why = "the number of the row times logging_steps"
        elif len(known):
            self._stride = max(1, int(known[-1] // len(bars)))
            why = f"the number of the row times {self._stride}, from the progress bar"
        else:
            why = "the number of the row: steps are right only with logging_steps=1"
        self.warnings.append(f"the rows hold no step; it was taken from {why}")

    def _count(self, table: Table, train: BoolArray, copy: BoolArray) -> FloatArray:
        epoch = table.columns.get("epoch")
        steps = np.full(table.rows, np.nan)
        for row in np.flatnonzero(train).tolist():
            if not copy[row] or not self._counted:
                at = float(epoch.values[row]) if epoch is not None and epoch.present[row] else math.nan
                if self._epochs and at < self._epochs[-1]:  # restarted, or resumed from a checkpoint
                    while self._epochs and not self._epochs[-1] < at:
                        self._epochs.pop()
                    self._counted = len(self._epochs)
                self._counted += 1
                self._epochs.append(self._epochs[-1] if math.isnan(at) and self._epochs else at)
            steps[row] = self._counted * self._stride
        return steps

    def _repeats(self, table: Table, train: BoolArray) -> BoolArray:
        """Rows that another node printed too: every row comes twice or more, or none is a copy."""
        same = np.zeros(table.rows, np.bool_)
        if table.rows > 1:
            same[1:] = True
            for column in table.columns.values():
                values, there = column.values, column.present
                equal = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
                same[1:] &= equal & (there[1:] == there[:-1])
        if not self._copies and not self._mode:
            begins = np.flatnonzero(train & ~same)
            sizes = np.diff([*begins, table.rows])
            self._copies = len(begins) >= 2 and bool((sizes[:-1] >= 2).all()) and bool(same.any())
        return same if self._copies else np.zeros(table.rows, np.bool_)


def is_metrics(row: Mapping[str, Any]) -> bool:
    """Whether a printed dict is a row of metrics: a loss or an epoch among flat numbers.

    >>> is_metrics({"loss": 0.5, "epoch": 0.01}), is_metrics({"loss": "3.6", "epoch": "0.1"})
    (True, True)
    >>> is_metrics({"train_batch_size": 8, "fp16": {"enabled": True}}), is_metrics({"eos_token_id": 2})
    (False, False)
    """
    if not row or not _SETTINGS.isdisjoint(row):
        return False
    numbers = others = 0
    for value in row.values():
        if isinstance(value, (dict, list)):
            return False
        if as_number(value) is None:
            others += value is not None
        else:
            numbers += 1
    if any(name in row and as_number(row[name]) is not None for name in _TELLING):
        return numbers > others
    counted = "epoch" in row or any(name in row for name in _OWN_STEPS)
    return counted and numbers >= 2 and others == 0


def _own_step(value: Any) -> float | None:
    if isinstance(value, str):
        value = value.partition("/")[0]
    step = as_number(value)
    return step if step is not None and 0 <= step < 2**53 else None


def sniff(path: Path, head: bytes) -> int:
    """Dicts of metrics among the lines; a training that printed none is known by its header or bar."""
    if head.lstrip()[:1] in (b"[",):
        return 0
    rows = rows_at_start(path, head, Parser, _MARK)
    if rows:
        return 80 if rows >= 2 else 60
    return 8 if is_text(head) and _STARTED.search(head) else 0


def read(path: Path) -> list[Log]:
    """Everything the log says."""
    return read_console(path, Parser)
