"""Finds runs below a folder: which files are logs, which may tell of one run, which are copies."""

import hashlib
import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.discovery.files import Found, LogFile, named_by, says_nothing
from runvitals.readers.discovery.grouping import grouped, joined_to_those_below
from runvitals.readers.discovery.resumed_files import lives_beside
from runvitals.readers.log import Reader
from runvitals.readers.raw.source import stamp_of
from runvitals.readers.registry import MAX_SNIFFED, reader_for
from runvitals.store.files import read_json
from runvitals.store.layout import RUN_FILE, is_run_folder

_MIN_COMPARED = 1024  # bytes: shorter logs may be alike by chance
_MAX_COMPARED = 256 * 2**20  # bytes: of larger files it is not known whether they are the same
_BLOCK = 2**20


def once(runs: Iterable[Found]) -> list[Found]:
    """Runs without duplicates; each kept run lists where its duplicates are.

    These are files with the names and bytes of another's, of which the first are kept, and what a
    `SummaryWriter` wrote while a run folder of ours recorded it.
    """
    return _without_recorded(_without_copies(list(runs)))


def _without_recorded(found: list[Found]) -> list[Found]:
    others = {run.path.resolve(): run for run in found if run.files}
    ours = [run for run in found if not run.files] if others else []
    recorded = {
        path: place
        for place, run in enumerate(ours)
        for path in _recorded(run.path)
        if path in others
    }
    if not recorded:
        return found
    told: dict[Path, tuple[Path, ...]] = {}
    for path, place in recorded.items():
        mine = ours[place].path
        told[mine] = (*told.get(mine, ()), others[path].path)
    return [
        replace(run, copies=(*run.copies, *told[run.path])) if run.path in told else run
        for run in found
        if not run.files or run.path.resolve() not in recorded
    ]


def _recorded(folder: Path) -> tuple[Path, ...]:
    """Folders of other writers whose logs a run folder of ours already contains."""
    try:
        return _recorded_in(folder / RUN_FILE, stamp_of(folder / RUN_FILE))
    except OSError:
        return ()  # it has no identity yet


@lru_cache(maxsize=MAX_SNIFFED)
def _recorded_in(path: Path, _: tuple[int, int, int]) -> tuple[Path, ...]:
    try:
        provenance = read_json(path).get("provenance")
    except ReadError:
        return ()  # opening the run says what is wrong with it
    folders = provenance.get("recorded_from") if isinstance(provenance, dict) else None
    return tuple(Path(one) for one in folders if isinstance(one, str)) if folders else ()


def _without_copies(found: list[Found]) -> list[Found]:
    groups = _alike(range(len(found)), lambda index: _named(found[index]))
    for whole in (False, True):  # files that end alike are mostly the same

        def content(index: int, *, whole: bool = whole) -> tuple[bytes, ...]:
            return tuple(sorted(_digest(file.path, whole) for file in found[index].files))

        groups = [same for group in groups for same in _alike(group, content)]
    dropped = {index for _, *others in groups for index in others}
    copies = {kept: tuple(found[index].path for index in others) for kept, *others in groups}
    return [
        replace(run, copies=copies[index]) if index in copies else run
        for index, run in enumerate(found)
        if index not in dropped
    ]


def _alike(indices: Iterable[int], key: Callable[[int], Hashable]) -> list[list[int]]:
    """Those that share a key with others, group by group; None is shared by nobody."""
    groups: dict[Hashable, list[int]] = {}
    for index in indices:
        if (mine := key(index)) is not None:
            groups.setdefault(mine, []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _named(run: Found) -> tuple[tuple[str, int], ...] | None:
    """Names and sizes of its files; None if they are too short or too large, or went away."""
    try:
        files = sorted((file.path.name, file.path.stat().st_size) for file in run.files)
    except OSError:
        return None
    size = sum(size for _, size in files)
    return tuple(files) if _MIN_COMPARED <= size <= _MAX_COMPARED else None


def _digest(path: Path, whole: bool) -> bytes:
    try:
        return _digest_of(path, whole, stamp_of(path))
    except OSError:
        return bytes(path)


@lru_cache(maxsize=2 * MAX_SNIFFED)
def _digest_of(path: Path, whole: bool, _: tuple[int, int, int]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        if not whole:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MIN_COMPARED))
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.digest()


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
    """Marks runs that would otherwise all be named after this folder."""
    if depth and says_nothing(folder.name):
        return runs
    nameless = [bool(run.files) and named_by(run.path, folder) for run in runs]
    if sum(nameless) < 2:
        return runs
    marked = zip(runs, nameless, strict=True)
    return [replace(run, crowded=True) if mark else run for run, mark in marked]


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
    """True if a file is worth opening, by its name."""
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
