"""Delimited text with a header: progress.csv, metrics.csv, exports, and what people write by hand.

Stable-Baselines3, OpenAI Baselines, Spinning Up, garage, Lightning, Keras and TorchRL write such files;
Weights & Biases and TensorBoard export them from their pages.
"""

import re
from collections.abc import Callable, Container
from itertools import takewhile
from pathlib import Path

import numpy as np

from runvitals.model import EmptyLogError, ReadError
from runvitals.readers.log import Log, Reader
from runvitals.readers.raw.source import uncompressed_name
from runvitals.readers.rows.arrangement import exported
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.column_names import is_step_name, is_time_name, key_kind
from runvitals.readers.rows.evidence import (
    confidence_of,
    is_metric_name,
    is_training_name,
    measured_in,
)
from runvitals.readers.rows.table import Column, Table
from runvitals.readers.tabular._blocks import constant_texts, is_binary, logs_of, parse_file
from runvitals.readers.tabular._delimited import CsvParser
from runvitals.readers.tabular._table_head import (
    FileHead,
    first_lines,
    is_nameless_log,
    is_names,
    names_by_file,
    sample,
)

ID = "csv"

_ENDINGS = (".csv", ".tsv", ".txt", ".log", ".dat", ".tab", ".md")
_BOARD = ["Wall time", "Step", "Value"]  # what TensorBoard's page exports
_BOARD_NAME = re.compile(r"(?:run-(?P<run>.*?)-)?tag-(?P<tag>.+?)(?: \(\d+\))?\.csv")
_OWN = ["step", "time"]  # what `runvitals export` begins with
_WANDB = " - "
_BASELINES = (
    {"eprewmean"},
    {"EpRewMean", "TimestepsSoFar"},
    {"mean 100 episode reward", "episodes"},
    {"misc/total_timesteps"},
    {"rollout/return_history", "total/steps"},
)
_SPINNING_UP = {"Epoch", "TotalEnvInteracts"}
_VERL = {
    "actor_pg_loss", "critic_score_mean", "response_length_mean", "training_global_step",
    "actor/pg_loss", "critic/score/mean", "response_length/mean", "training/global_step",
}  # fmt: skip


def sniff(path: Path, head: bytes) -> int:
    """Known columns first, then any table that counts something."""
    if is_binary(head) or head[:1] in b"{[" or not head.strip():
        return 0
    if head.startswith((b"#{", b"# {")):
        return 0
    try:
        found = sample(head)
    except (ValueError, RecursionError):
        return 0
    if found is None:
        return 0
    found, as_written = _named_by_file(path, found), found
    name = uncompressed_name(path)
    if not found.header and _torchrl(path, found):
        return 70
    if not found.header or found is not as_written:
        nameless = name.endswith(_ENDINGS) and is_nameless_log(path.stem, found.rows)
        if nameless or not found.header:
            return 25 if nameless else 0
    framework = _framework(found.names, path)
    if framework is not None:
        return 92
    if found.names == _BOARD:
        return 88
    if _is_wandb(found.names):
        return 85
    if not name.endswith(_ENDINGS) and "." in name:
        return 0
    sure = _generic(found, path)
    return sure if name.endswith((".csv", ".tsv")) else min(sure, 45)


def _generic(found: FileHead, path: Path) -> int:
    if len(found.names) < 2 and not (found.names and is_training_name(found.names[0])):
        return 0
    if not found.rows:  # a header alone
        steps = any(map(is_step_name, found.names))
        return 20 if steps and any(map(is_metric_name, found.names)) else 0
    rows = RowCollector()
    above = list(takewhile(lambda cells: not is_names(cells), found.rows))  # the next header
    whole = [cells for cells in above if len(cells) == len(found.names)]
    if len(whole) * 2 < len(above):
        return 0
    if found.dialect.decimal == ",":
        whole = [[cell.replace(",", ".") for cell in cells] for cells in whole]
    rows.add_cells(found.names, whole)
    return confidence_of(rows, path.stem)


def read(path: Path) -> list[Log]:
    """The runs of the file: mostly one, several when runs were appended or exported together."""
    start = first_lines(path)
    if not start.strip():
        raise EmptyLogError(path, "the file is empty", hint="has the run logged anything yet?")
    if is_binary(start):
        raise ReadError(path, "this is not a text file", hint="is it a compressed or binary file?")
    found = sample(start)
    if found is None:
        hint = "expected names divided by commas, tabs, semicolons or bars"
        raise ReadError(path, "the first line holds no two columns", hint=hint)
    found = _named_by_file(path, found) if found.header else _name_columns(path, found)
    return read_with(path, found, format=ID, framework=_framework(found.names, path))


def read_with(
    path: Path,
    found: FileHead,
    *,
    format: str,
    framework: str | None,
    step: str | None = None,
    config: dict[str, object] | None = None,
    skip: Container[str] = (),
) -> list[Log]:
    """Read a delimited file whose header is known."""
    warnings: list[str] = []
    parser = CsvParser(found, warnings, skip)
    follower = parse_file(path, parser, warnings)
    parser.report()
    rows = parser.rows
    table = rows.table()
    settings = {**constant_texts(rows), **(config or {})}
    if _is_wandb(found.names):
        return _wandb(path, table, warnings)
    shape = _shape(path, found.names)
    own = exported(table) if found.names[:2] == _OWN else None
    logs, parts = logs_of(
        path,
        format,
        shape(table),
        warnings,
        config=settings,
        framework=framework,
        step=step,
        shape=own,
    )
    if found.names == _BOARD and (match := _BOARD_NAME.search(path.name)):
        logs[-1].name = match["run"] or ""
    if follower is not None:

        def again() -> CsvParser:  # a file that starts over, perhaps with other columns
            fresh = sample(first_lines(path))
            return CsvParser(fresh if fresh is not None and fresh.header else found, [], skip)

        logs[-1].read_new = follower.follow(parser, again, parts[-1], rows=table.rows, shape=shape)
    return logs


def _framework(names: list[str], path: Path) -> str | None:
    """The framework whose columns these certainly are."""
    have = set(names)
    if "time/total_timesteps" in have and have & {
        "time/fps", "time/time_elapsed", "rollout/ep_rew_mean", "time/iterations",
    }:  # fmt: skip
        return "stable-baselines3"
    if any(columns <= have for columns in _BASELINES):
        return "openai-baselines"
    if have & {"AverageEpRet", "EpRet"} and have & _SPINNING_UP:
        return "spinningup"
    if {"TotalEnvSteps", "Evaluation/AverageReturn"} <= have:
        return "garage"
    if len(have & _VERL) >= 3:
        return "verl"
    if {"epoch", "step"} <= have and uncompressed_name(path) == "metrics.csv":
        version = re.fullmatch(r"version_\d+", path.parent.name)
        if version or (path.parent / "hparams.yaml").exists():
            return "pytorch-lightning"
    return None


def _shape(path: Path, names: list[str]) -> Callable[[Table], Table]:
    """What is done to the table of this kind of file."""
    if names != _BOARD:
        return lambda table: table
    match = _BOARD_NAME.search(path.name)
    tag = match["tag"] if match else path.name.removesuffix(".csv")  # renamed by its owner
    called = {"Value": tag, "Wall time": "wall_time"}
    return lambda table: Table(
        table.rows, {called.get(name, name): column for name, column in table.columns.items()}
    )


# Header-less files


def _torchrl(path: Path, found: FileHead) -> bool:
    """TorchRL writes `scalars/<metric>.csv` with rows `step,value`."""
    if "scalars" not in path.parts[:-1] or {len(row) for row in found.rows} != {2}:
        return False
    return all(row[0].strip().lstrip("-").isdigit() for row in found.rows)


def _named_by_file(path: Path, found: FileHead) -> FileHead:
    """A single column without a name is what its file is called, and so are columns of variants."""
    if found.header and (said := measured_in(path.stem)) and _are_variants(found.names):
        names = ["step", *(f"{variant}{_WANDB}{said}" for variant in found.names[1:])]
        return FileHead(found.dialect, names, found.rows)
    # a pandas frame without names of its own has 0, 1, 2
    unnamed = [name for name in found.names if name.startswith("column ") or name == "0"]
    others = set(found.names) - {"index"}
    if not found.header or others != set(unnamed) or len(unnamed) != 1:
        return found
    said = measured_in(path.stem) or path.stem
    names = [said if name in unnamed else name for name in found.names]
    return FileHead(found.dialect, names, found.rows)


def _are_variants(names: list[str]) -> bool:
    """True if columns beside a count are named after what was trained, and not what was measured."""
    count, *variants = names or [""]
    return (
        is_step_name(count)
        and len(variants) > 1
        and not any(
            is_training_name(name)
            or is_step_name(name)
            or is_time_name(name)
            or key_kind(name)
            or (is_metric_name(name) and name.islower())
            for name in variants
        )
    )


def _name_columns(path: Path, found: FileHead) -> FileHead:
    if _torchrl(path, found):
        folders = path.parts[:-1]
        inner = folders[len(folders) - folders[::-1].index("scalars") :]
        names = ["step", "/".join([*inner, path.stem])]
    elif is_nameless_log(path.stem, found.rows):
        names = names_by_file(path.stem, found.rows)
    else:
        raise ReadError(
            path, "there is no header line", hint="put the names of the columns into its first line"
        )
    return FileHead(found.dialect, names, found.rows, header=False)


# Exports of Weights & Biases: `<run> - <metric>`, with __MIN and __MAX beside each


def _is_wandb(names: list[str]) -> bool:
    rest = names[1:]
    if not rest or not all(_WANDB in name for name in rest):
        return False
    have = set(rest)
    return any(f"{name}__MIN" in have and f"{name}__MAX" in have for name in rest) or (
        names[0].lower() in {"step", "_step", "global_step"}
    )


def _wandb(path: Path, table: Table, warnings: list[str]) -> list[Log]:
    runs: dict[str, dict[str, Column]] = {}
    step = next(iter(table.columns), None)
    for name, column in table.columns.items():
        run, found, metric = name.partition(_WANDB)
        if not found:
            continue
        base, ending = name[:-5], name[-5:]
        if ending in {"__MIN", "__MAX"} and base in table.columns:
            same = table.columns[base]
            if np.array_equal(same.values, column.values, equal_nan=True):
                continue
        runs.setdefault(run, {})[metric] = column
    if not runs or step is None:
        raise ReadError(path, "it holds no rows", hint="export the chart again")
    logs: list[Log] = []
    axis = table.columns[step]
    for run, columns in runs.items():
        taken = np.unique(np.concatenate([column.places for column in columns.values()]))
        where = np.searchsorted(axis.places, taken)
        own = Table(len(taken), {step: Column(axis.values[where], np.arange(len(taken)))})
        for metric, column in columns.items():
            own.columns[metric] = Column(column.values, np.searchsorted(taken, column.places))
        found_logs, _ = logs_of(path, ID, own, warnings, step=step)
        for log in found_logs:
            log.name = run
        logs.extend(found_logs)
    return logs


READER = Reader(ID, "CSV and other delimited text", sniff, read)
