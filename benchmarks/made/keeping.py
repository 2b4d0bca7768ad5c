"""Which runs are there, which are missing, and the index of all of them.

.scoreboard/made/index.json          all runs: dir, label, fault, expected, part, outcome, ...
.scoreboard/made/look/<run>/         the log, as the trainer left it; nothing else is in there
.scoreboard/made/look/index.json     the runs of this part alone
.scoreboard/made/hold/...            the same for the part of which only totals are looked at
.scoreboard/made/notes/<run>.json    one entry of the index, written when the run is finished
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks.made.programs import Outcome, Program, label_of

PARTS = ("look", "hold")


def name_of(program: Program, seed: int) -> str:
    """The folder of one run."""
    return f"{program.name}-s{seed}"


def entry_of(program: Program, seed: int, outcome: Outcome, seconds: float) -> dict[str, Any]:
    """What the index says about a finished run."""
    return {
        "dir": f"{program.world.part}/{name_of(program, seed)}",
        "label": label_of(program, outcome),
        "fault": program.variant if program.fault else None,
        "variant": program.variant,
        "expected": list(program.expected),
        "part": program.world.part,
        "trainer": f"{program.maker} {program.algorithm}",
        "env": program.world.name,
        "seed": seed,
        "program": program.name,
        "outcome": {**asdict(outcome), "poor": program.world.poor, "good": program.world.good},
        "seconds": round(seconds, 1),
        "made_by": program.made_by,
    }


def note_of(folder: Path, program: Program, seed: int) -> Path:
    """Where the entry of one run is kept."""
    return folder / "notes" / f"{name_of(program, seed)}.json"


def place_of(folder: Path, program: Program, seed: int) -> Path:
    """Where the log of one run is."""
    return folder / program.world.part / name_of(program, seed)


def is_made(folder: Path, program: Program, seed: int) -> bool:
    """Whether the run is there with a log, made with today's settings."""
    note = note_of(folder, program, seed)
    if not note.exists() or not has_log(place_of(folder, program, seed)):
        return False
    return bool(json.loads(note.read_text())["made_by"] == program.made_by)


def has_log(place: Path) -> bool:
    """Whether a trainer left anything there."""
    return any(path.is_file() and path.stat().st_size for path in place.rglob("*"))


def missing(folder: Path, programs: Iterable[Program]) -> list[tuple[Program, int]]:
    """What is left to make, in an order in which half of it is of use, too.

    One run of each trainer after the other, of both parts, healthy and sick; second seeds later.
    """
    queues: dict[tuple[str, str, bool], list[tuple[Program, int]]] = {}
    for program, rank in _first_seeds_first(programs):
        seed = program.seeds[rank]
        if not is_made(folder, program, seed):
            key = program.maker, program.world.part, program.fault
            queues.setdefault(key, []).append((program, seed))
    rounds = zip_longest(*(queues[key] for key in sorted(queues)))
    return [run for one_round in rounds for run in one_round if run is not None]


def _first_seeds_first(programs: Iterable[Program]) -> list[tuple[Program, int]]:
    ranked = [(rank, program) for program in programs for rank in range(len(program.seeds))]
    return [(program, rank) for rank, program in sorted(ranked, key=lambda one: one[0])]


def fresh_folder(folder: Path, program: Program, seed: int) -> Path:
    """The empty folder of a run that is about to be made."""
    place = place_of(folder, program, seed)
    if place.exists():
        shutil.rmtree(place)
    place.mkdir(parents=True)
    return place


def keep(folder: Path, program: Program, seed: int, outcome: Outcome, seconds: float) -> str:
    """Write the note of a finished run; gives its label."""
    entry = entry_of(program, seed, outcome, seconds)
    note = note_of(folder, program, seed)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps(entry, indent=1))
    return str(entry["label"])


def kept(folder: Path, programs: Iterable[Program]) -> Iterator[dict[str, Any]]:
    """The entries of all runs that are there; labels and expectations as of today's programs."""
    for program in programs:
        for seed in program.seeds:
            if is_made(folder, program, seed):
                entry = json.loads(note_of(folder, program, seed).read_text())
                told = {k: v for k, v in entry["outcome"].items() if k not in ("poor", "good")}
                yield entry_of(program, seed, Outcome(**told), entry["seconds"])


def write_index(folder: Path, programs: Iterable[Program]) -> list[dict[str, Any]]:
    """The index of all runs, and one per part for tools that take a folder with an index."""
    entries = sorted(kept(folder, programs), key=lambda entry: str(entry["dir"]))
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "index.json", entries)
    for part in PARTS:
        mine = [entry for entry in entries if entry["part"] == part]
        if mine:
            short = [{**entry, "dir": Path(entry["dir"]).name} for entry in mine]
            _write(folder / part / "index.json", short)
    return entries


def _write(path: Path, entries: list[dict[str, Any]]) -> None:
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps(entries, indent=1))
    aside.replace(path)
