"""Finds runs below a folder: which files are logs, and which of them tell of the same run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runvitals.readers.log import Reader
from runvitals.readers.registry import reader_for
from runvitals.readers.source import plain_name
from runvitals.store.layout import is_run_folder

DEEPEST = 12
MOST_FILES = 5_000  # sniffed in one folder

# Never logs; not worth opening.
_OTHER_SUFFIXES = frozenset(
    ".py .pyc .ipynb .sh .c .h .cpp .cu .rs .go .js .ts .css .html .pt .pth .bin .safetensors .ckpt "
    ".pkl .pickle .joblib .h5 .onnx .gguf .model .png .jpg .jpeg .gif .svg .pdf .mp4 .avi .webm .wav "
    ".mp3 .zip .tar .tgz .whl .so .dll .exe .lock .tmp .crc .toml".split()
)
# What loggers call their file: it stands for the run in its folder.
_LOGGER_FILES = frozenset(
    "progress.csv progress.json progress.txt result.json metrics.csv metrics.jsonl metrics.json "
    "trainer_log.jsonl trainer_state.json training_log.csv training_log.jsonl log.csv log.jsonl "
    "history.csv history.json train_metrics.jsonl train_log.jsonl wandb-history.jsonl".split()
)
_CHECKPOINT = re.compile(r"checkpoint[-_]?(\d+)")
# Folders that hold another view of the run beside them.
_WRITERS = frozenset(
    "tb tensorboard tensorboard_log tensorboard_logs tblogs tb_logs events files summaries logs log "
    "runs train eval evaluation validation val test metrics logger".split()
)
_SPLITS = frozenset({"train", "training", "validation", "val", "eval", "evaluation", "test"})


@dataclass(frozen=True)
class LogFile:
    """A file that a reader knows. `prefix` goes before its names when it is joined to others."""

    path: Path
    reader: Reader
    prefix: str = ""

    @property
    def role(self) -> str:
        """How it may be joined: `main` tells of the run, `events` and `side` are further views of it,
        a `table` may be anything.
        """
        if plain_name(self.path) in _LOGGER_FILES:
            return "main"
        return getattr(self.reader, "ROLE", "table")

    @property
    def joins(self) -> bool:
        """Whether several files of this kind in one folder are one run, as event files are."""
        return hasattr(self.reader, "read_together")


@dataclass(frozen=True)
class Found:
    """One run to open: a run folder of ours (no files), or files that belong together."""

    path: Path
    files: tuple[LogFile, ...] = ()

    @property
    def only_beside(self) -> bool:
        """Whether all of it is a second view, such as event files."""
        return bool(self.files) and all(file.role in ("events", "side") for file in self.files)


def discover(path: Path) -> Iterator[Found]:
    """Runs at or below a path."""
    if path.is_file():
        reader = reader_for(path)
        if reader is not None:
            yield Found(path, (LogFile(path, reader),))
        return
    yield from _walk(path, 0)


def _walk(folder: Path, depth: int) -> Iterator[Found]:
    if is_run_folder(folder):
        yield Found(folder)
        return
    files, folders = _listed(folder)
    known = _known(files)
    owner = next((file for file in known if getattr(file.reader, "OWNS_FOLDER", False)), None)
    if owner is not None:
        yield Found(folder, (owner,))
        return
    own = _grouped(folder, known)
    below: dict[str, list[Found]] = {}
    if depth < DEEPEST:
        for child in folders:
            below[child.name] = list(_walk(child, depth + 1))
    own, below = _with_checkpoints(folder, own, below)
    own, below = _with_writers(own, below)
    own, below = _with_splits(folder, own, below)
    yield from own
    for runs in below.values():
        yield from runs


def _listed(folder: Path) -> tuple[list[Path], list[Path]]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return [], []
    files, folders = [], []
    for path in inside:
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():
                folders.append(path)
        elif path.suffix.lower() not in _OTHER_SUFFIXES:
            files.append(path)
    return files[:MOST_FILES], folders


def _known(files: list[Path]) -> list[LogFile]:
    found = []
    for path in files:
        try:
            reader = reader_for(path) if path.stat().st_size else None
        except OSError:
            reader = None
        if reader is not None:
            found.append(LogFile(path, reader))
    return found


def _grouped(folder: Path, files: list[LogFile]) -> list[Found]:
    """Files of one folder, as runs: what a framework writes side by side is one run.

    Two files of one kind that do not join are two runs; so are tables, unless there is just one.
    """
    counts = Counter(file.reader.ID for file in files)
    alone = [f for f in files if counts[f.reader.ID] > 1 and not f.joins]
    together = [f for f in files if f not in alone and f.role != "table"]
    tables = [f for f in files if f not in alone and f.role == "table"]
    if len(tables) == 1 and together:
        together += tables
        tables = []
    found = [Found(folder, tuple(together))] if together else []
    return found + [Found(file.path, (file,)) for file in [*alone, *tables]]


def _with_checkpoints(
    folder: Path, own: list[Found], below: dict[str, list[Found]]
) -> tuple[list[Found], dict[str, list[Found]]]:
    """Each checkpoint repeats the history so far: only the newest counts, if there is no newer one."""
    numbered = {name: int(m[1]) for name in below if (m := _CHECKPOINT.fullmatch(name))}
    if not numbered:
        return own, below
    newest = max((name for name in numbered if below[name]), key=numbered.__getitem__, default=None)
    rest = {name: runs for name, runs in below.items() if name not in numbered}
    if newest is None or any(file.role == "main" for run in own for file in run.files):
        return own, rest
    files = [file for run in below[newest] for file in run.files]
    files += [file for run in own for file in run.files]
    return [Found(folder, tuple(files))], rest


def _with_writers(
    own: list[Found], below: dict[str, list[Found]]
) -> tuple[list[Found], dict[str, list[Found]]]:
    """`tensorboard/` beside `trainer_state.json` is the same run."""
    if len(own) != 1:
        return own, below
    rest: dict[str, list[Found]] = {}
    files = list(own[0].files)
    for name, runs in below.items():
        if name.lower() in _WRITERS and len(runs) == 1 and runs[0].only_beside and files:
            split = name.lower() in _SPLITS and name.lower() not in ("train", "training")
            prefix = f"{name}/" if split else ""
            files += [LogFile(f.path, f.reader, f.prefix or prefix) for f in runs[0].files]
        else:
            rest[name] = runs
    return [Found(own[0].path, tuple(files))], rest


def _with_splits(
    folder: Path, own: list[Found], below: dict[str, list[Found]]
) -> tuple[list[Found], dict[str, list[Found]]]:
    """`train/` and `validation/` with event files are one run, as Keras writes it."""
    splits = {
        name: runs[0]
        for name, runs in below.items()
        if name.lower() in _SPLITS and len(runs) == 1 and runs[0].only_beside
    }
    if own or len(splits) < 2:
        return own, below
    files = [
        LogFile(f.path, f.reader, "" if name.lower().startswith("train") else f"{name}/")
        for name, run in sorted(
            splits.items(), key=lambda item: not item[0].lower().startswith("train")
        )
        for f in run.files
    ]
    return [Found(folder, tuple(files))], {n: r for n, r in below.items() if n not in splits}
