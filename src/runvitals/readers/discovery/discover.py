"""Finds runs below a folder: which files are logs, and which of them may tell of the same run."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.discovery.copies import once
from runvitals.readers.discovery.files import Found, LogFile
from runvitals.readers.discovery.grouping import grouped, joined_to_those_below
from runvitals.readers.discovery.resumed_files import lives_beside
from runvitals.readers.discovery.run_names import named_by, says_nothing
from runvitals.readers.log import Reader
from runvitals.readers.registry import reader_for
from runvitals.store.layout import is_run_folder

DEEPEST = 12
MAX_FILES = 5_000  # sniffed in one folder

# Never logs; not worth opening.
_OTHER_SUFFIXES = frozenset(
    ".py .pyc .sh .c .h .cpp .cu .rs .go .js .ts .css .html .pt .pth .bin .safetensors .ckpt "
    ".pkl .pickle .joblib .h5 .onnx .gguf .model .png .jpg .jpeg .gif .svg .pdf .mp4 .avi .webm .wav "
    ".mp3 .zip .tar .tgz .whl .so .dll .exe .lock .tmp .crc .toml".split()
)
# Files that lie beside logs and are none, whatever their content looks like.
_OTHER_NAMES = frozenset(
    "tokenizer.json tokenizer_config.json special_tokens_map.json added_tokens.json vocab.json "
    "vocab.txt merges.txt config.json generation_config.json adapter_config.json "
    "preprocessor_config.json processor_config.json model.safetensors.index.json "
    "pytorch_model.bin.index.json dataset_infos.json package.json package-lock.json tsconfig.json "
    "requirements.txt readme.txt license.txt license".split()
)
# Folders of other people's code.
_FOREIGN = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__"})
_STORES = frozenset({".aim", ".guild", ".neptune"})  # where trackers hide their runs
# What Comet and ClearML pack a run into that was made offline.
_OFFLINE_ARCHIVE = re.compile(r"(?:offline-)?[0-9a-f]{32}(?:-\w+)?\.zip")
_ENVIRONMENT = "pyvenv.cfg"  # what a virtual environment holds


def discover(path: Path, problems: list[ReadError] | None = None) -> Iterator[Found]:
    """Runs at or below a path; what may not be opened is noted in `problems`."""
    if problems is None:
        problems = []
    if not path.is_dir():
        for file in _known([path], problems):
            yield Found(path, (file,))
        return
    yield from once(_walk(path, 0, problems))


def _walk(folder: Path, depth: int, problems: list[ReadError]) -> Iterator[Found]:
    if is_run_folder(folder):
        yield Found(folder)
        return
    files, folders = listed(folder, problems)
    known = _known(files, problems)
    owner = next((file for file in known if file.reader.owns_folder), None)
    if owner is not None:
        yield Found(folder, (owner,))
        return
    own = grouped(folder, known)
    below: dict[str, list[Found]] = {}
    if depth < DEEPEST:
        for child in folders:
            below[child.name] = list(_walk(child, depth + 1, problems))
    own, below = joined_to_those_below(folder, own, below)
    own, below = lives_beside(folder, own, below)
    yield from _told_apart(folder, [*own, *(run for runs in below.values() for run in runs)], depth)


def _told_apart(folder: Path, runs: list[Found], depth: int) -> list[Found]:
    """Runs that would all be called by this folder are called by what lies below it, too."""
    if depth and says_nothing(folder.name):
        return runs
    nameless = [run for run in runs if run.files and named_by(run.path, folder)]
    if len(nameless) < 2:
        return runs
    return [replace(run, crowded=True) if run in nameless else run for run in runs]


def listed(folder: Path, problems: list[ReadError]) -> tuple[list[Path], list[Path]]:
    """The files of a folder that may be logs, and the folders in it that are worth a look."""
    try:
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        problems.append(ReadError(folder, error.strerror or str(error)))
        return [], []
    files, folders = [], []
    if any(entry.name == _ENVIRONMENT for entry in inside):
        return [], []
    for entry in inside:
        if _is_folder(entry):
            hidden = entry.name.startswith(".") and entry.name not in _STORES
            hidden = hidden or entry.name in _FOREIGN
            if not hidden and not entry.is_symlink():
                folders.append(folder / entry.name)
        elif may_be_log(path := folder / entry.name):
            files.append(path)
    return files[:MAX_FILES], folders


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads to itself


def may_be_log(path: Path) -> bool:
    """Whether a file is worth opening, by its name."""
    name = path.name.lower()
    if name.startswith(".") or name in _OTHER_NAMES:
        return False
    if path.suffix.lower() in _OTHER_SUFFIXES:
        return _OFFLINE_ARCHIVE.fullmatch(name) is not None
    return True


def _known(files: list[Path], problems: list[ReadError]) -> list[LogFile]:
    found = []
    likely: dict[str, Reader] = {}  # by the ending of the name
    for path in files:
        try:
            if not path.is_file() or not path.stat().st_size:
                continue
            with path.open("rb"):
                pass
        except OSError as error:
            problems.append(ReadError(path, error.strerror or str(error)))
            continue
        try:
            reader = reader_for(path, likely.get(path.suffix))
        except ReadError as error:
            problems.append(error)
            continue
        if reader is not None:
            found.append(LogFile(path, reader))
            likely[path.suffix] = reader
    return found
