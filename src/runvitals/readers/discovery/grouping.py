"""Which files, of one folder and of those below it, a trainer wrote about the same run."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from runvitals.readers.discovery.files import Found, LogFile, says_nothing
from runvitals.readers.discovery.resumed_files import later_files
from runvitals.readers.raw.source import head, is_console, is_loggers, uncompressed_name
from runvitals.readers.rows.evidence import beside_measure

_STEP = re.compile(r"(?:global_)?step[_-]?\d+|train|eval|all|effective")  # folders of rollouts
_CHECKPOINT = re.compile(r"checkpoint[-_]?(\d+)")
_STARTED_AT = re.compile(r"[A-Z][a-z]{2}\d{2}_\d{2}-\d{2}-\d{2}_.+")  # below the Trainer's `runs/`
_HPARAMS = re.compile(r"\d{9,}\.\d+")  # what PyTorch's `add_hparams` calls its folder
_PROCESS = re.compile(r"events\.out\.tfevents\.\d+\.(?P<process>.+\.\d+)\.\d+(\.[a-z]+)?")
# Folders that hold another view of the run beside them.
_WRITERS = frozenset(
    "tb tensorboard tensorboard_log tensorboard_logs tblogs tb_logs events files summaries logs log "
    "runs train eval evaluation validation val test metrics logger completions rollout rollouts "
    "rollout_data samples generations validation_data".split()
)
_TRACKER = "wandb"  # keeps a folder of its own for each start
_SPLITS = frozenset({"train", "training", "validation", "val", "eval", "evaluation", "test"})

_NAME_WORDS = re.compile(r"[a-z]+|\d+")
MAX_PROPOSED = 6  # files that are read together to see whether they are of one run

Below = dict[str, list[Found]]  # runs by the name of the folder they lie in


def joined_to_those_below(
    folder: Path, own: list[Found], below: Below
) -> tuple[list[Found], Below]:
    """The runs of a folder, with what lies in the folders below it and tells of them."""
    own, below = _with_steps(folder, own, below)
    own, below = _with_checkpoints(folder, own, below)
    own, below = _with_restarts(folder, own, below)
    own, below = _with_parts(folder, own, below)
    own, below = _with_writers(folder, own, below)
    return _with_splits(folder, own, below)


def grouped(folder: Path, files: list[LogFile]) -> list[Found]:
    """Files of one folder, as runs: what a framework writes side by side is one run.

    Further files of a kind that does not join are runs of their own, unless they are consoles captured
    beside a logger's file, or their numbers show that they tell of its run; so are tables, unless there
    is just one. A file that may go on where another stopped stays with it.
    """
    later = later_files(files)
    now = [file for file in files if file.path not in later]
    alone = _further(now)
    others = [file for file in now if file not in alone]
    together = [file for file in others if file.role != "table"]
    tables = [file for file in others if file.role == "table"]
    if len(tables) == 1 and together:
        together += tables
        tables = []
    if any(is_loggers(file.path) for file in together) and len(alone) <= MAX_PROPOSED:
        together += [replace(file, proof="numbers") for file in alone]
        alone = []
    found = [Found(folder, tuple(together))] if together else []
    found += [Found(one[0].path, tuple(one)) for one in _by_split([*alone, *tables])]
    found = [_with_later(run, files, later) for run in found]
    if len(found) == 1 and len(found[0].files) > 1:
        return [replace(found[0], path=folder)]
    found = [_by_its_file(run) for run in found]
    return [replace(run, shared=len(found) > 1) for run in found]


def _further(files: list[LogFile]) -> list[LogFile]:
    """Files that are runs of their own: further files of a format that does not join."""
    logged = any(file.role == "main" for file in files)
    captured = [f for f in files if logged and f.role == "side" and is_console(f.path)]
    counts = Counter(file.reader.id for file in files)
    loggers = {f.reader.id: f for f in reversed(files) if is_loggers(f.path)}
    first = [*loggers.values(), *captured]
    return [f for f in files if counts[f.reader.id] > 1 and not f.joins and f not in first]


def _by_its_file(run: Found) -> Found:
    """Names a run of a single file after the file, if its name is telling."""
    [file, *others] = run.files
    if others or file.role != "side" or file.joins or says_nothing(file.path.name):
        return run
    return replace(run, path=file.path)


def _with_later(run: Found, files: list[LogFile], later: dict[Path, tuple[Path, int]]) -> Found:
    """Adds the files that may continue this run."""
    mine = {file.path for file in run.files}
    more = [
        replace(file, life=later[file.path][1])
        for file in files
        if file.path in later and later[file.path][0] in mine
    ]
    return replace(run, files=(*run.files, *more))


def _by_split(files: list[LogFile]) -> list[list[LogFile]]:
    """Files alone, but `train_log.csv` and `val_log.csv` together: one run writes such pairs."""
    groups: dict[tuple[str, str], list[LogFile]] = {}
    found = _by_measure([file for file in files if file.reader.joins_by_name])
    for file in files:
        if not file.reader.joins_by_name:
            groups.setdefault((file.reader.id, _without_split(file.path)), []).append(file)
    for group in groups.values():
        splits = {_split_in(file.path): file for file in group}
        main = splits.get("train") or splits.get("")
        if main is None or len(splits) < 2 or len(splits) < len(group):
            found += [[file] for file in group]
            continue
        found.append([main])
        for split, file in splits.items():
            if file is not main:
                found[-1].append(replace(file, prefix=f"{split}/" if split else "", proof="steps"))
    return found


def _by_measure(files: list[LogFile]) -> list[list[LogFile]]:
    """Files whose names differ only in what was measured, together: `rewards.npy`, `losses.npy`."""
    groups: dict[tuple[str, str], list[LogFile]] = {}
    for file in files:
        rest = beside_measure(uncompressed_name(file.path).partition(".")[0])
        groups.setdefault((file.reader.id, str(file.path) if rest is None else rest), []).append(
            replace(file, place=file.path.parent)
        )
    return [*groups.values()]


def _split_in(path: Path) -> str:
    """The split in the name of a file, such as `val`; "" if there is none."""
    words = [word for word in _NAME_WORDS.findall(uncompressed_name(path)) if word in _SPLITS]
    return "train" if words and words[0].startswith("train") else words[0] if words else ""


def _without_split(path: Path) -> str:
    return " ".join(w for w in _NAME_WORDS.findall(uncompressed_name(path)) if w not in _SPLITS)


def _with_steps(folder: Path, own: list[Found], below: Below) -> tuple[list[Found], Below]:
    """Rollouts in a folder for each step, kind and subset are those of one run.

    prime-rl keeps what was trained on once more in `effective/`, beside `all/`.
    """
    parts = {
        name: runs
        for name, runs in below.items()
        if _STEP.fullmatch(name) and all(_only_samples(run) for run in runs)
    }
    if "all" in parts:
        parts.pop("effective", None)
        below = {name: runs for name, runs in below.items() if name != "effective"}
    files = [replace(f, place=folder) for runs in parts.values() for run in runs for f in run.files]
    if not files or not all(map(_only_samples, own)):
        return own, below
    files += [file for run in own for file in run.files]
    rest = {name: runs for name, runs in below.items() if name not in parts}
    return [Found(folder, tuple(files))], rest


def _only_samples(run: Found) -> bool:
    return bool(run.files) and all(file.role == "samples" for file in run.files)


def _with_checkpoints(folder: Path, own: list[Found], below: Below) -> tuple[list[Found], Below]:
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


def _with_restarts(folder: Path, own: list[Found], below: Below) -> tuple[list[Found], Below]:
    """Each start of the Trainer writes to a new `runs/<date>_<host>`: all of them are its run."""
    main = _of_folder(folder, own)
    starts = below.get("runs", [])
    if (
        main is None
        or len(starts) < 2
        or not any(file.reader.id == "trainer-state" for file in main.files)
        or not all(run.only_beside and _STARTED_AT.fullmatch(run.path.name) for run in starts)
    ):
        return own, below
    files = [LogFile(f.path, f.reader, place=folder / "runs") for run in starts for f in run.files]
    rest = {name: runs for name, runs in below.items() if name != "runs"}
    return _added(own, main, files), rest


def _with_parts(folder: Path, own: list[Found], below: Below) -> tuple[list[Found], Below]:
    """PyTorch's `add_scalars` and `add_hparams` write to folders of their own below the writer's."""
    main = _of_folder(folder, own)
    written = [f for f in main.files if f.role == "events"] if main is not None else []
    if main is None or not written:
        return own, below
    processes = {_process(file.path) for file in written} - {""}
    files: list[LogFile] = []
    rest: Below = {}
    for name, runs in below.items():
        parts = [file for run in runs for file in run.files]
        same = len(runs) == 1 and all(_process(file.path) in processes for file in parts)
        nameless = len(written) == 1 and all(not _process(file.path) for file in parts)
        if _HPARAMS.fullmatch(name) and len(runs) == 1 and (same or nameless):
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
    """The run of the folder itself rather than of a file in it."""
    return next((run for run in own if run.path == folder), None)


def _added(own: list[Found], main: Found, files: list[LogFile]) -> list[Found]:
    whole = replace(main, files=(*main.files, *files))
    return [whole if run is main else run for run in own]


def _with_writers(folder: Path, own: list[Found], below: Below) -> tuple[list[Found], Below]:
    """`tensorboard/` beside `trainer_state.json` is the same run; so is a folder of another name, if
    it is the only one and its numbers agree.
    """
    main = own[0] if len(own) == 1 else _of_folder(folder, own)
    if main is None or not main.files:
        return own, below
    other_view = all(file.role != "events" for file in main.files)
    only = other_view and sum(map(len, below.values())) == 1
    trusted = any(file.role != "table" for file in main.files)
    rest: Below = {}
    files: list[LogFile] = []
    for name, runs in below.items():
        writer = name.lower() in _WRITERS
        beside = len(runs) == 1 and runs[0].only_beside
        tables = writer and not beside and all(run.files for run in runs)
        if (name.lower() == _TRACKER or tables) and 0 < len(runs) <= MAX_PROPOSED:
            files += [replace(f, proof="numbers") for run in runs for f in run.files]
        elif beside and (writer or only):
            files += [_of_writer(f, name, trusted=writer and trusted) for f in runs[0].files]
        else:
            rest[name] = runs
    if files and says_nothing(main.path.name):
        own, main = [replace(run, path=folder) if run is main else run for run in own], None
        main = _of_folder(folder, own)
        assert main is not None
    return _added(own, main, files), rest


def _of_writer(file: LogFile, folder: str, *, trusted: bool) -> LogFile:
    """A file of a folder below: under the name of its split, and by its numbers unless trusted."""
    split = folder.lower() in _SPLITS and folder.lower() not in ("train", "training")
    prefix = file.prefix or (f"{folder}/" if split and not file.names_split else "")
    return replace(file, prefix=prefix, proof=file.proof if trusted else "numbers")


def _with_splits(folder: Path, own: list[Found], below: Below) -> tuple[list[Found], Below]:
    """`train/` and `validation/` with event files are one run, as Keras writes it."""
    splits = {
        name: runs[0]
        for name, runs in below.items()
        if name.lower() in _SPLITS and len(runs) == 1 and runs[0].only_beside
    }
    if own or len(splits) < 2:
        return own, below
    trained = [name for name in splits if name.lower().startswith("train")]
    files = [
        LogFile(f.path, f.reader, "" if name in trained else f"{name}/")
        for name in dict.fromkeys([*trained, *splits])
        for f in splits[name].files
    ]
    return [Found(folder, tuple(files))], {n: r for n, r in below.items() if n not in splits}
