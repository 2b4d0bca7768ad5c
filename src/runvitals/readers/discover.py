"""Finds runs below a folder: which files are logs, and which of them tell of the same run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from runvitals.model import ReadError
from runvitals.readers.log import Reader
from runvitals.readers.registry import reader_for
from runvitals.readers.source import head, plain_name
from runvitals.store.layout import is_run_folder

DEEPEST = 12
MOST_FILES = 5_000  # sniffed in one folder

# Never logs; not worth opening.
_OTHER_SUFFIXES = frozenset(
    ".py .pyc .sh .c .h .cpp .cu .rs .go .js .ts .css .html .pt .pth .bin .safetensors .ckpt "
    ".pkl .pickle .joblib .h5 .onnx .gguf .model .png .jpg .jpeg .gif .svg .pdf .mp4 .avi .webm .wav "
    ".mp3 .zip .tar .tgz .whl .so .dll .exe .lock .tmp .crc .toml".split()
)
# What loggers call their file: it stands for the run in its folder.
_LOGGER_FILES = frozenset(
    "progress.csv progress.json progress.txt result.json metrics.csv metrics.jsonl metrics.json "
    "trainer_log.jsonl trainer_state.json training_log.csv training_log.jsonl log.csv log.jsonl "
    "history.csv history.json train_metrics.jsonl train_log.jsonl wandb-history.jsonl".split()
)
# What a captured console is called: beside a logger's file it is the same run once more.
_CONSOLE = re.compile(
    r"(log|logs|console|std|stdout|stderr|output|train|training|run|nohup|slurm-\d+)"
    r"(\.(log|txt|out|err))+"
)
_CHECKPOINT = re.compile(r"checkpoint[-_]?(\d+)")
_STARTED_AT = re.compile(r"[A-Z][a-z]{2}\d{2}_\d{2}-\d{2}-\d{2}_.+")  # below the Trainer's `runs/`
_HPARAMS = re.compile(r"\d{9,}\.\d+")  # what PyTorch's `add_hparams` calls its folder
_PROCESS = re.compile(r"events\.out\.tfevents\.\d+\.(?P<process>.+\.\d+)\.\d+(\.[a-z]+)?")
# Folders that hold another view of the run beside them.
_WRITERS = frozenset(
    "tb tensorboard tensorboard_log tensorboard_logs tblogs tb_logs events files summaries logs log "
    "runs train eval evaluation validation val test metrics logger".split()
)
_SPLITS = frozenset({"train", "training", "validation", "val", "eval", "evaluation", "test"})


@dataclass(frozen=True)
class LogFile:
    """A file that a reader knows. `prefix` goes before its names when it is joined to others; files of
    one `place` are joined by their reader, if it can: mostly those of one folder.
    """

    path: Path
    reader: Reader
    prefix: str = ""
    place: Path | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A module cannot be sent to another process; its name can."""
        name = cast(ModuleType, self.reader).__name__
        return _log_file, (self.path, name, self.prefix, self.place)

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

    @property
    def names_split(self) -> bool:
        """Whether its names say themselves that they are of an evaluation."""
        return getattr(self.reader, "NAMES_SPLIT", False)


def _log_file(path: Path, reader: str, prefix: str, place: Path | None) -> LogFile:
    return LogFile(path, cast(Reader, import_module(reader)), prefix, place)


@dataclass(frozen=True)
class Found:
    """One run to open: a run folder of ours (no files), or files that belong together."""

    path: Path
    files: tuple[LogFile, ...] = ()

    @property
    def only_beside(self) -> bool:
        """Whether all of it is a second view, such as event files."""
        return bool(self.files) and all(file.role in ("events", "side") for file in self.files)


def discover(path: Path, problems: list[ReadError] | None = None) -> Iterator[Found]:
    """Runs at or below a path; what may not be opened is noted in `problems`."""
    if problems is None:
        problems = []
    if not path.is_dir():
        for file in _known([path], problems):
            yield Found(path, (file,))
        return
    yield from _walk(path, 0, problems)


def _walk(folder: Path, depth: int, problems: list[ReadError]) -> Iterator[Found]:
    if is_run_folder(folder):
        yield Found(folder)
        return
    files, folders = _listed(folder, problems)
    known = _known(files, problems)
    owner = next((file for file in known if getattr(file.reader, "OWNS_FOLDER", False)), None)
    if owner is not None:
        yield Found(folder, (owner,))
        return
    own = _grouped(folder, known)
    below: dict[str, list[Found]] = {}
    if depth < DEEPEST:
        for child in folders:
            below[child.name] = list(_walk(child, depth + 1, problems))
    own, below = _with_checkpoints(folder, own, below)
    own, below = _with_restarts(folder, own, below)
    own, below = _with_parts(folder, own, below)
    own, below = _with_writers(folder, own, below)
    own, below = _with_splits(folder, own, below)
    yield from own
    for runs in below.values():
        yield from runs


def _listed(folder: Path, problems: list[ReadError]) -> tuple[list[Path], list[Path]]:
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        problems.append(ReadError(folder, error.strerror or str(error)))
        return [], []
    files, folders = [], []
    for path in inside:
        if path.is_dir():
            if not path.is_symlink() and not path.name.startswith("."):
                folders.append(path)
        elif may_be_log(path):
            files.append(path)
    return files[:MOST_FILES], folders


def may_be_log(path: Path) -> bool:
    """Whether a file is worth opening, by its name."""
    return not path.name.startswith(".") and path.suffix.lower() not in _OTHER_SUFFIXES


def _known(files: list[Path], problems: list[ReadError]) -> list[LogFile]:
    found = []
    for path in files:
        try:
            if not path.is_file() or not path.stat().st_size:
                continue
            with path.open("rb"):
                pass
        except OSError as error:
            problems.append(ReadError(path, error.strerror or str(error)))
            continue
        reader = reader_for(path)
        if reader is not None:
            found.append(LogFile(path, reader))
    return found


def _grouped(folder: Path, files: list[LogFile]) -> list[Found]:
    """Files of one folder, as runs: what a framework writes side by side is one run.

    Two files of one kind that do not join are two runs, unless they are consoles captured beside a
    logger's file; so are tables, unless there is just one.
    """
    counts = Counter(file.reader.ID for file in files)
    logged = any(file.role == "main" for file in files)
    captured = {f.path for f in files if logged and f.role == "side" and _is_console(f.path)}
    alone = [f for f in files if counts[f.reader.ID] > 1 and not f.joins and f.path not in captured]
    together = [f for f in files if f not in alone and f.role != "table"]
    tables = [f for f in files if f not in alone and f.role == "table"]
    if len(tables) == 1 and together:
        together += tables
        tables = []
    found = [Found(folder, tuple(together))] if together else []
    return found + [Found(file.path, (file,)) for file in [*alone, *tables]]


def _is_console(path: Path) -> bool:
    return _CONSOLE.fullmatch(plain_name(path)) is not None


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


def _with_restarts(
    folder: Path, own: list[Found], below: dict[str, list[Found]]
) -> tuple[list[Found], dict[str, list[Found]]]:
    """Each start of the Trainer writes to a new `runs/<date>_<host>`: all of them are its run."""
    main = _of_folder(folder, own)
    starts = below.get("runs", [])
    if (
        main is None
        or len(starts) < 2
        or not any(file.reader.ID == "trainer-state" for file in main.files)
        or not all(run.only_beside and _STARTED_AT.fullmatch(run.path.name) for run in starts)
    ):
        return own, below
    files = [LogFile(f.path, f.reader, place=folder / "runs") for run in starts for f in run.files]
    rest = {name: runs for name, runs in below.items() if name != "runs"}
    return _added(own, main, files), rest


def _with_parts(
    folder: Path, own: list[Found], below: dict[str, list[Found]]
) -> tuple[list[Found], dict[str, list[Found]]]:
    """PyTorch's `add_scalars` and `add_hparams` write to folders of their own below the writer's."""
    main = _of_folder(folder, own)
    processes = {_process(file.path) for file in main.files} - {""} if main else set()
    if main is None or not processes:
        return own, below
    files: list[LogFile] = []
    rest: dict[str, list[Found]] = {}
    for name, runs in below.items():
        parts = [file for run in runs for file in run.files]
        same = len(runs) == 1 and all(_process(file.path) in processes for file in parts)
        if same and _HPARAMS.fullmatch(name):
            files += parts
        elif same and len(parts) == 1 and (tag := _tag_of_part(name, parts[0].path)):
            files.append(LogFile(parts[0].path, parts[0].reader, f"{name[len(tag) + 1 :]}/"))
        else:
            rest[name] = runs
    return _added(own, main, files), rest


def _process(path: Path) -> str:
    """Host and number of the process that wrote an event file, as the file's name says."""
    match = _PROCESS.fullmatch(path.name)
    return match["process"] if match else ""


def _tag_of_part(name: str, path: Path) -> str:
    """The tag in the event file of a folder that is called `<tag>_<series>`; "" if it is not so."""
    start = head(path).replace(b"/", b"_")
    for cut in (i for i, letter in enumerate(name) if letter == "_"):
        tag = name[:cut].encode()
        if 0 < len(tag) < 128 and b"\x0a" + bytes([len(tag)]) + tag in start:
            return name[:cut]
    return ""


def _of_folder(folder: Path, own: list[Found]) -> Found | None:
    """The run that stands for its folder, and not for a file in it."""
    return next((run for run in own if run.path == folder), None)


def _added(own: list[Found], main: Found, files: list[LogFile]) -> list[Found]:
    whole = Found(main.path, (*main.files, *files))
    return [whole if run is main else run for run in own]


def _with_writers(
    folder: Path, own: list[Found], below: dict[str, list[Found]]
) -> tuple[list[Found], dict[str, list[Found]]]:
    """`tensorboard/` beside `trainer_state.json` is the same run."""
    main = own[0] if len(own) == 1 else _of_folder(folder, own)
    if main is None:
        return own, below
    rest: dict[str, list[Found]] = {}
    files: list[LogFile] = []
    for name, runs in below.items():
        if name.lower() in _WRITERS and len(runs) == 1 and runs[0].only_beside and main.files:
            split = name.lower() in _SPLITS and name.lower() not in ("train", "training")
            files += [
                replace(f, prefix=f.prefix or (f"{name}/" if split and not f.names_split else ""))
                for f in runs[0].files
            ]
        else:
            rest[name] = runs
    return _added(own, main, files), rest


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
