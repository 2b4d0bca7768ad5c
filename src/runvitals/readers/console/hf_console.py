"""Console output of Hugging Face's Trainer and TRL: `{'loss': 0.5, 'epoch': 0.01}` among tqdm bars.

The printed dicts hold no step. It is taken from the progress bar where bars and rows come in turn;
where the output was buffered (all rows after all bars) rows are counted, and a warning says so.
tqdm wipes its bars before a row and draws them again below it: that bar stands exactly at the row's
step, while the one before may be up to a tenth of a second old, or an evaluation's.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runvitals.readers.console._lines import Axis, Found, LineParser
from runvitals.readers.console._sniff import console_reader, is_json, is_text, rows_at_start
from runvitals.readers.raw.literals import parse_dict
from runvitals.readers.raw.numbers import as_number
from runvitals.readers.rows.table import Table

ID = "hf-console"

_TRAIN, _EVAL, _SUMMARY = range(3)
_WIPED = 20  # blanks at least, where a bar was
_DICT = re.compile(r"""\{\s{0,2}['"]""")
_BAR_TEXT = re.compile(r"\d{1,3}%\|[^|\n]{0,300}\| *(\d{1,12})/(\d{1,12}) \[")
_MARK = re.compile(rb"\{'[^'\n]{1,200}': ?[-'\dniNa]")
_STARTED = re.compile(rb"\*{5} Running training \*{5}|\d%\|[^|\n]{1,80}\| \d+/\d+ \[[\d:]+<")
_OWN_STEPS = ("step", "global_step", "current_steps", "global_step/max_steps")
_TELLING = frozenset({"loss", "eval_loss", "train_loss", "grad_norm", "reward", "rewards/margins"})
_OF_THE_TRAINER = frozenset({"learning_rate", "grad_norm", "eval_runtime", "train_runtime"})
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


@dataclass(slots=True)
class _Mark:
    """What is known about the place of a row."""

    train: bool
    bar: float
    own: float
    epoch: float
    last: bool  # the summary of a finished training
    copy: bool  # reads exactly as the row before it


class HfParser(LineParser):
    """Rows are dicts; the bars before them say at which step."""

    ID = ID
    cells_of_row = 16  # where it stands among the bars, measured

    def __init__(self) -> None:
        super().__init__()
        self._bars: dict[int, int] = {}  # total of a bar: where it stands
        self._newest = (math.nan, 0)
        self._wiped = False  # the line before was a bar's wiping
        self._redrawn: _Mark | None = None  # the row that the next bar is drawn again for
        self._total = 0  # total of the bar that stood before the last training row
        self._marks: list[_Mark] = []  # of the rows that have no step yet
        self._printed = ""
        self._mode = ""  # own, bar or count: decided once
        self._stride = 1
        self._copies = False
        self._before = 0.0  # the step of the last row
        self._epochs: list[float] = []  # of the rows counted so far

    def feed(self, line: str) -> Iterator[Found]:
        """The row on this line; a bar is remembered."""
        if "%|" in line:
            self._see_bar(line)
        if line.isspace():
            self._wiped = self._wiped or len(line) >= _WIPED
        if "{" not in line:
            if line and not line.isspace():
                self._wiped = False
            return
        place = 0
        for _ in range(3):
            begin = _DICT.search(line, place)
            if begin is None:
                return
            found = parse_dict(line, begin.start())
            if found is None:
                place = begin.end()
                continue
            row, place = found
            if is_metrics(row):
                if row.keys() & _OF_THE_TRAINER and "epoch" in row:
                    self.framework = "transformers"  # or what is built on it: the names tell
                self._place(row)
                self._redrawn = self._marks[-1] if self._wiped else None
                yield "", row
        self._wiped = False

    def _see_bar(self, line: str) -> None:
        for bar in _BAR_TEXT.finditer(line):
            words = line[: bar.start()].rpartition("]")[2].strip().lower()
            if words and "train" not in words and "step" not in words:
                continue  # "Map: 10%|", "Loading checkpoint shards: 50%|"
            count, total = int(bar[1]), int(bar[2])
            if len(self._bars) < 64 or total in self._bars:
                self._bars[total] = count
                self._newest = (count, total)
                # beside an evaluation's row its own bar may be drawn again first
                if self._redrawn is not None and (self._redrawn.train or total == self._total):
                    self._redrawn.bar = count
                    self._total = total
                    self._redrawn = None

    def _place(self, row: dict[str, Any]) -> None:
        """Notes the position of a row among the progress bars."""
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
        own = (s for name in _OWN_STEPS if (s := _own_step(row.get(name))) is not None)
        epoch = as_number(row.get("epoch"))
        epoch = math.nan if epoch is None else epoch
        text, ends = repr(row), kind == _SUMMARY
        same, self._printed = text == self._printed, text
        self._marks.append(_Mark(kind == _TRAIN, bar, next(own, math.nan), epoch, ends, same))

    def settle(self, axis: Axis, table: Table) -> list[float]:  # noqa: ARG002
        """Give every row a step."""
        marks, self._marks = self._marks, []
        if not self._mode:
            self._copies = _all_twice(marks)
            self._decide([m for m in marks if m.train and not (self._copies and m.copy)])
        steps = []
        for mark in marks:
            if self._mode == "own":
                step = mark.own
            elif self._mode == "bar":
                step = mark.bar
            else:
                step = self._count(mark)
            if math.isfinite(step):  # else it stands where the row before it does
                self._before = step
            steps.append(self._before)
        return steps

    def _decide(self, train: list[_Mark]) -> None:
        """Where the steps come from: the rows themselves, the bar beside each, or counting."""
        if train and sum(math.isfinite(m.own) for m in train) > 0.9 * len(train):
            self._mode = "own"
            return
        bars = [m.bar for m in train if math.isfinite(m.bar)]
        moves = [a != b for a, b in itertools.pairwise(bars)]
        if bars and len(bars) > 0.9 * len(train) and sum(moves) >= 0.9 * len(moves):
            self._mode = "bar"
            return
        self._mode = "count"
        given = as_number(self.config.get("logging_steps"))
        if given is not None and 1 <= given < 1e9 and given == int(given):
            self._stride = int(given)
            why = "the number of the row times logging_steps"
        elif bars:
            self._stride = max(1, int(bars[-1] // len(train)))
            why = f"the number of the row times {self._stride}, from the progress bar"
        else:
            why = "the number of the row: right only with logging_steps=1"
        self.warnings.append(f"the rows hold no step; it was taken from {why}")

    def _count(self, mark: _Mark) -> float:
        if not mark.train:
            return mark.bar if mark.last else math.nan
        if not (self._copies and mark.copy):
            if self._epochs and mark.epoch < self._epochs[-1]:  # restarted, or resumed
                while self._epochs and not self._epochs[-1] < mark.epoch:
                    self._epochs.pop()
            unknown = math.isnan(mark.epoch) and self._epochs
            self._epochs.append(self._epochs[-1] if unknown else mark.epoch)
        return float(len(self._epochs) * self._stride)


def _all_twice(marks: list[_Mark]) -> bool:
    """True if every row was printed more than once, by several nodes."""
    sizes: list[int] = []
    for mark in marks:
        if mark.copy and sizes:
            sizes[-1] += 1
        else:
            sizes.append(1)
    return len(sizes) >= 2 and min(sizes[:-1]) >= 2


def is_metrics(row: Mapping[str, Any]) -> bool:
    """True if a printed dict is a row of metrics: a loss or an epoch among flat numbers.

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
        return numbers > others or "epoch" in row
    counted = "epoch" in row or any(name in row for name in _OWN_STEPS)
    return counted and numbers >= 2 and others == 0


def _own_step(value: Any) -> float | None:
    if isinstance(value, str):
        value = value.partition("/")[0]
    step = as_number(value)
    return step if step is not None and 0 <= step < 2**53 else None


def sniff(path: Path, head: bytes) -> int:
    """Dicts of metrics among the lines; a training that printed none is known by its header or bar."""
    if is_json(head):
        return 0
    rows = rows_at_start(path, head, HfParser, _MARK)
    if rows:
        return 80 if rows >= 2 else 60
    return 8 if is_text(head) and _STARTED.search(head) else 0


# transformers, or what is built on it
READER = console_reader(
    HfParser, "Hugging Face Trainer console log", sniff, tool="transformers", at_most=80
)
