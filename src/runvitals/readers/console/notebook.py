"""Jupyter notebooks: one run for each training that the outputs show.

The Trainer's table (`Step | Training Loss | reward | ...`), printed rows and loops, Keras' progress,
and tables of a history; `TrainOutput(...)` and the arguments in the code cells are read too. Columns of
the Trainer's table get back the names that it logs: `Validation Loss` is `eval_loss`.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from runvitals.model import ReadError
from runvitals.readers.console import _notebook_cells, hf_console, key_value_text
from runvitals.readers.console._gaps import is_learning
from runvitals.readers.console._lines import LineParser, ParserSession, make_logs
from runvitals.readers.console._stream import PARSERS
from runvitals.readers.console.repeated_lines import MIN_ALIKE, RepeatedLinesParser
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.literals import parse_literal
from runvitals.readers.raw.numbers import as_number, parse_number
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.column_names import is_step_name
from runvitals.readers.rows.table import choose_step, runs_in

ID = "notebook"

_MIN_ROWS = 6  # of a table of a history: what `head()` shows is not a run
_MIN_PRINTED = 3  # of one that was drawn row by row, as fastai does
_MAX_CELLS = 20_000
_PARSERS: tuple[tuple[type[LineParser], int], ...] = (*PARSERS, (RepeatedLinesParser, MIN_ALIKE))
_SHOWN_AS = {
    "Step": "step",
    "Epoch": "epoch",
    "Training Loss": "loss",
    "Validation Loss": "eval_loss",
}
_TRAIN_OUTPUT = re.compile(r"TrainOutput\(")
_TRL_NAMES = re.compile(
    r"(?:eval_)?(?:rewards?\b|rewards?/|reward_std|completions?|kl\b|logps/|mean_token_accuracy|num_tokens)"
)


@dataclass
class _Training:
    """One training: rows as they were logged."""

    cell: int
    names: tuple[str, ...] = ()
    rows: list[dict[str, Any]] = field(default_factory=list)
    step: str = "step"
    total: int | None = None
    finished: bool = False
    error: str = ""
    framework: str | None = None
    algorithm: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    logs: list[Log] = field(default_factory=list)  # instead of rows, from a console reader

    @property
    def steps(self) -> list[float]:
        return [row[self.step] for row in self.rows if self.step in row]


def _trainings(path: Path) -> list[_Training]:
    state = os.stat(path)
    return _found(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=2)
def _found(path: Path, size: int, changed: int) -> list[_Training]:  # noqa: ARG001 - parts of the key
    notebook = _notebook_cells.load(path)
    if notebook is None:
        return []
    found: list[_Training] = []
    settings: dict[str, Any] = {}
    algorithm: str | None = None
    for count, cell in enumerate(_notebook_cells.cells(notebook)):
        if count >= _MAX_CELLS:
            break
        settings |= cell.settings
        if cell.algorithm is None and cell.trainer in ("Trainer", "Seq2SeqTrainer"):
            algorithm = None
        algorithm = cell.algorithm or algorithm
        for training in _in_cell(path, cell, settings):
            training.settings = dict(settings) | training.settings
            training.algorithm = algorithm
            if training.framework and algorithm:
                training.framework = "trl"
            found.append(training)
        _ending(cell, found)
    return found


def _in_cell(path: Path, cell: _notebook_cells.Cell, settings: dict[str, Any]) -> list[_Training]:
    found: list[_Training] = []
    for output in cell.outputs:
        if "<table" in output.html:
            for table in _notebook_cells.tables(output.html):
                _take_table(found, table, cell.number)
    text = "".join(_joined(cell.outputs))
    trainer = [training for training in found if training.framework]
    if trainer:
        _take_printed(trainer, text)
        return found
    if len(text) < 40 or not any(map(str.isdigit, text)):
        return found
    logs = logs_in_text(path, text.encode(), settings)
    if logs and not found:
        found.append(_Training(cell.number, logs=logs))
    return found


def _joined(outputs: Iterable[_notebook_cells.Output]) -> Iterable[str]:
    """The text of a cell; streams were cut into pieces anywhere, but not two streams into one line."""
    before, last = "", "\n"
    for output in outputs:
        if not output.text or _TRAIN_OUTPUT.match(output.text):
            continue
        if output.stream != before and last != "\n":
            yield "\n"
        yield output.text if output.stream else output.text + "\n"
        before, last = output.stream, output.text[-1] if output.stream else "\n"


# The Trainer's table ------------------------------------------------------------------------------


def _take_table(found: list[_Training], table: _notebook_cells.HtmlTable, cell: int) -> None:
    lowered = [name.lower() for name in table.names]
    if lowered[:1] in (["step"], ["epoch"]) and {"training loss", "validation loss"} & set(lowered):
        training = _of_trainer(table, cell)
    else:
        training = _of_history(table, cell)
    if training is None or not training.rows:
        return
    last = found[-1] if found else None
    if last is not None and last.framework == training.framework and last.step == training.step:
        if training.rows[: len(last.rows)] == last.rows:
            found[-1] = training  # the same table, drawn anew
            return
        if last.rows[: len(training.rows)] == training.rows:
            return
        if (
            training.framework
            and training.steps[0] > last.steps[-1]
            and training.names == last.names
        ):
            last.rows += training.rows
            last.finished, last.total = training.finished, training.total
            return
    found.append(training)


def _of_trainer(table: _notebook_cells.HtmlTable, cell: int) -> _Training | None:
    names = [logged_name(name) for name in table.names]
    training = _Training(cell, tuple(names), step=names[0], framework="transformers")
    training.rows = [row for row in _numbers_under(names, table) if training.step in row]
    if table.progress is not None:
        done, total = int(table.progress["done"]), int(table.progress["total"])
        training.total, training.finished = total, done >= total
        training.settings["max_steps"] = total
        if table.progress["epochs"]:
            training.settings["num_train_epochs"] = int(table.progress["epochs"])
    if any(_TRL_NAMES.match(name) for name in names[1:]):
        training.framework = "trl"
    return training


def logged_name(shown: str) -> str:
    """The name that the Trainer logged what its table shows under another.

    >>> logged_name("Training Loss"), logged_name("Validation Loss"), logged_name("Rewards/chosen")
    ('loss', 'eval_loss', 'eval_rewards/chosen')
    >>> logged_name("completions / mean_length"), logged_name("Mean Token Accuracy")
    ('completions/mean_length', 'eval_mean_token_accuracy')
    """
    if shown in _SHOWN_AS:
        return _SHOWN_AS[shown]
    name = shown.replace(" / ", "/")
    # the Trainer writes what an evaluation gave with capitals and blanks, and without its `eval_`
    if name[:1].isupper():
        return "eval_" + name.lower().replace(" ", "_")
    return name


def _of_history(table: _notebook_cells.HtmlTable, cell: int) -> _Training | None:
    """A data frame that is the history of a training: it counts, and speaks of a loss or a reward."""
    names = [name for name in table.names if name]
    if not any(map(is_step_name, names)) or not any(
        is_learning(n) for n in names if not is_step_name(n)
    ):
        return None
    rows = [row for row in _numbers_under(table.names, table) if row]
    if len(rows) < (_MIN_ROWS if table.index else _MIN_PRINTED):
        return None
    collector = RowCollector()
    collector.add_all(rows)
    step = choose_step(collector.table())
    # a column of a training has to move
    moving = (
        is_learning(name) and len(np.unique(column.values)) > 1
        for name, column in collector.table().columns.items()
        if name != step
    )
    if step is None or not any(moving):
        return None
    training = _Training(cell, tuple(names), rows, step)
    if table.whole is not None and table.whole > len(rows):
        training.warnings.append(
            f"the notebook shows {len(rows)} of the {table.whole:,} rows of this table"
        )
    return training


def _numbers_under(
    names: Sequence[str], table: _notebook_cells.HtmlTable
) -> Iterator[dict[str, Any]]:
    """The numbers of each row of a table, under these names of its columns."""
    for texts in table.rows:
        cells = ((name, parse_number(text)) for name, text in zip(names, texts, strict=True))
        yield {name: value for name, value in cells if name and value is not None}


def _take_printed(trainer: list[_Training], text: str) -> None:
    """Rows that the Trainer printed beside its table say more; the table says at which step."""
    if "{'" not in text:
        return
    parser = hf_console.HfParser()
    rows = [row for line in text.split("\n") for _, row in parser.feed(line)]
    trains = [row for row in rows if "loss" in row]
    if not trains:
        return
    steps = [step for training in trainer for step in training.steps]
    if len(trains) != len(steps) or trainer[0].step != "step":
        return
    by_step = iter([row for training in trainer for row in training.rows[: len(training.steps)]])
    current: dict[str, Any] | None = None
    for row in rows:
        if "loss" in row:
            current = next(by_step)
        for name, value in row.items():
            number = as_number(value)
            if number is not None and current is not None:
                current.setdefault(name, number)


# How it ended -------------------------------------------------------------------------------------


def _ending(cell: _notebook_cells.Cell, found: list[_Training]) -> None:
    """What `trainer.train()` gave back, or the error that the cell ended with."""
    if not found:
        return
    last = found[-1]
    for output in cell.outputs:
        if output.error and last.cell == cell.number:
            last.error = output.error[:300]
            last.finished = False
        begin = _TRAIN_OUTPUT.search(output.text) if not output.html else None
        if begin is None or not last.rows or not last.framework:
            continue
        literal = parse_literal(output.text, begin.start())
        if literal is None or not isinstance(literal[0], dict):
            continue
        step = as_number(literal[0].get("global_step"))
        metrics = literal[0].get("metrics")
        if isinstance(metrics, dict) and step is not None and last.step == "step":
            numbers = {n: v for n, value in metrics.items() if (v := as_number(value)) is not None}
            if "train_loss" not in last.rows[-1]:
                last.rows.append({"step": step, **numbers})
        last.finished = True


# Reading ------------------------------------------------------------------------------------------


def sniff(path: Path, head: bytes) -> int:
    """A notebook whose outputs show a training."""
    if path.suffix.lower() != ".ipynb" or head.lstrip()[:1] != b"{":
        return 0
    try:
        return 90 if _trainings(path) else 0
    except OSError:
        return 0


def read(path: Path) -> list[Log]:
    """The trainings in a notebook, in the order of its cells."""
    try:
        trainings = _trainings(path)
    except OSError as error:
        raise ReadError(path, str(error.strerror or error)) from error
    logs = [log for training in trainings for log in _logs(path, training)]
    if not logs:
        raise ReadError(
            path, "no output of a training", hint="was the notebook saved with its outputs?"
        )
    if len(logs) == 1:
        logs[0].name = path.stem
        return logs
    names: Counter[str] = Counter()
    for log in logs:
        names[log.name] += 1
        if names[log.name] > 1:
            log.name = f"{log.name} #{names[log.name]}"
    return logs


def _logs(path: Path, training: _Training) -> list[Log]:
    name = f"{path.stem} cell {training.cell}"
    made: list[Log] = []
    if training.logs:
        for log in training.logs:
            one = Log(path, ID, config=dict(log.config), name=name, framework=log.framework)
            one.algorithm, one.status, one.ended_with = log.algorithm, log.status, log.ended_with
            one.points, one.warnings = log.points, list(log.warnings)
            if log.format == hf_console.ID:
                one.algorithm = one.algorithm or training.algorithm
            made.append(one)
    else:
        collector = RowCollector()
        collector.add_all(training.rows)
        for part in runs_in(collector.table(), step=training.step):
            one = Log(path, ID, name=name, framework=training.framework)
            one.algorithm = training.algorithm if training.framework else None
            one.add(part.blocks)
            one.warnings = [*training.warnings, *part.warnings]
            made.append(one)
        if made and training.finished:
            made[-1].status = "finished"
    for log in made:
        for key, value in training.settings.items():
            log.config.setdefault(key, value)
    if made and training.error:
        made[-1].fail(training.error)
    return [log for log in made if log.points.count]


def logs_in_text(path: Path, data: bytes, settings: Mapping[str, Any]) -> list[Log]:
    """The runs in a text, by the surest reader that finds rows in it; none when there are none.

    `settings` are known from elsewhere.
    """
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\x08", b"\n").split(b"\n")
    for make, needed in _PARSERS:
        if make is key_value_text.KeyValueParser and not key_value_text.lines_agree(lines):
            continue
        session = ParserSession(make())
        session.config.update(settings)
        for line in lines:
            session.feed(line)
        session.end()
        if session.count >= needed:
            logs = make_logs(path, session, [])
            if logs:
                return logs
    return []


READER = Reader(ID, "Jupyter notebook with the outputs of trainings", sniff, read)
