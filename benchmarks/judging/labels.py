"""Runs whose truth is known, from several places, and the half of the scoreboard each belongs to.

- lab: made by `benchmarks.lab.scoreboard`; a kill test decided which faults do harm. What a fault
  should be called is read from today's lab, since it may have been corrected after the run was made.
- made: real frameworks, made by `benchmarks.made`, each labelled by measuring what was trained. Whole
  environments and data sets are held out. What a fault should be called is read from today's makers.
- sb3: Stable-Baselines3 runs with deliberate faults; their index says which of them hurt.
- public, public2: natural logs from public repositories, labelled by looking at them; without names for
  their faults. The rules were shaped on all of `public`; half of the repositories of `public2` are held
  out.

Nothing is split by run: runs of one program, one repository or one environment go to the same half, so
that nothing is tuned on one seed and reported on another.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import orjson

from runvitals.lab.contract import Fault
from runvitals.lab.registry import FILES, faults_of, trainer

Label = Literal["sick", "healthy", "benign"]
Half = Literal["tune", "held out"]

SOURCES = ("lab", "made", "sb3", "public", "public2")
NATURAL = ("public", "public2")
HALVES: tuple[Half, ...] = ("tune", "held out")
ROOT = Path(__file__).parents[2]
LAB = ROOT / ".scoreboard"
MADE = LAB / "made"
CORPUS = ROOT.parent / "shared" / "corpus"

OUTCOME_RULES = (  # that state what came of a run; right about any run whose fault did harm
    *("REW003", "REW004", "REW005", "REW008", "REW011", "EVAL001", "EVAL002"),
    *("SFT001", "SFT002", "SFT003", "DPO001", "DPO002", "RM001", "RM004"),
)

FAMILIES = {  # the letter in a fault's code
    "A": "actor-critic",
    "D": "preferences",
    "G": "language model RL",
    "P": "policy gradients",
    "Q": "Q-learning",
    "R": "reward model",
    "S": "fine-tuning",
    "T": "teacher",
    "V": "scheduler",
    "W": "texts",
    "X": "the machine around it",
}


@dataclass(frozen=True)
class Labelled:
    """A run and the truth about it."""

    path: Path
    source: str
    program: str
    label: Label
    expect: tuple[str, ...] = ()  # rules, one of which should be found
    accept: tuple[str, ...] = ()  # rules that are right as well
    onset: int | None = None  # the step from which on the fault acts; None: nobody knows
    half: Half = "tune"
    trainer: str = ""
    family: str = ""
    repository: str = ""  # of a natural log

    @property
    def right(self) -> frozenset[str]:
        """All rules that name the fault."""
        return frozenset((*self.expect, *self.accept))

    @property
    def cluster(self) -> str:
        """What it has in common with others: seeds of one program, logs of one repository."""
        return self.repository or self.program


def labelled_runs(lab: Path = LAB, corpus: Path = CORPUS) -> list[Labelled]:
    """All of them; a source that is not there has none."""
    natural = [run for name in NATURAL for run in public_runs(corpus, name)]
    return [*lab_runs(lab), *made_runs(lab / MADE.name), *sb3_runs(corpus), *natural]


def place_of(source: str, lab: Path = LAB, corpus: Path = CORPUS) -> Path:
    """The index of a source."""
    return {
        "lab": lab / "index.json",
        "made": lab / MADE.name / "index.json",
        "sb3": corpus / "sb3-index.json",
    }.get(source, corpus / source / "index.json")


def lab_runs(folder: Path) -> list[Labelled]:
    """The runs of the lab, but for those whose fault was not tested.

    A run without a fault that missed its target anyway is left out as well: it is not an example of
    a healthy run.
    """
    index = _index(folder / "index.json")
    return [
        _lab_run(folder, run)
        for run in (index or {"runs": []})["runs"]
        if run["label"] in _LABELS and not _failed_by_itself(run)
    ]


def _failed_by_itself(run: dict[str, Any]) -> bool:
    if run["label"] != "healthy" or run.get("learned", True) or run["trainer"] not in FILES:
        return False
    of = trainer(run["trainer"])
    variants = {variant.name: variant for variant in of.variants}
    variant = variants.get(run["variant"]) if run["variant"] else None
    return variant is None or variant.learns


_LABELS = ("sick", "healthy", "benign")


def _lab_run(folder: Path, run: dict[str, Any]) -> Labelled:
    fault = None if run["fault"] is None else _faults(run["trainer"]).get(run["fault"])
    return Labelled(
        path=folder / run["folder"],
        source="lab",
        program=run["program"],
        label=run["label"],
        expect=tuple(run["expect"]) if fault is None else fault.expect,
        accept=tuple(run["accept"]) if fault is None else fault.accept,
        onset=run["onset_step"],
        half=half_of(f"{run['task']}/{run['code'] or run['variant']}"),
        trainer=run["trainer"],
        family="" if run["code"] is None else FAMILIES.get(run["code"][0], run["code"][0]),
    )


@cache
def _faults(name: str) -> dict[str, Fault]:
    return {fault.name: fault for fault in faults_of(trainer(name))} if name in FILES else {}


def sb3_runs(folder: Path) -> list[Labelled]:
    """Runs of Stable-Baselines3, but for those that went wrong without a deliberate fault."""
    index = _index(folder / "sb3-index.json")
    labels: dict[str, Label] = {"healthy": "healthy", "harmless": "benign", "faulty": "sick"}
    found = []
    for run in (index or {"runs": []})["runs"]:
        if run["label"] in labels:
            program = run["name"].rsplit("-s", 1)[0]
            found.append(
                Labelled(
                    path=folder / run["name"],
                    source="sb3",
                    program=program,
                    label=labels[run["label"]],
                    onset=run["onset_step"] or 0,
                    half=half_of(program),
                    trainer=f"sb3 {run['algorithm']}",
                )
            )
    return found


def made_runs(folder: Path) -> list[Labelled]:
    """Runs of real frameworks, but for those whose truth is unclear."""
    from benchmarks.made.registry import all_programs

    expected = {program.name: program.expected for program in all_programs()}
    labels: dict[str, Label] = {"healthy": "healthy", "harmless": "benign", "sick": "sick"}
    found = []
    for run in _index(folder / "index.json") or ():
        if run["label"] in labels:
            sick = run["label"] == "sick"
            onset = run["outcome"]["onset"] or (0 if sick else None)
            found.append(
                Labelled(
                    path=folder / run["dir"],
                    source="made",
                    program=run["program"],
                    label=labels[run["label"]],
                    expect=expected.get(run["program"], tuple(run["expected"])) if sick else (),
                    accept=OUTCOME_RULES if sick else (),
                    onset=onset,
                    half="tune" if run["part"] == "look" else "held out",
                    trainer=run["trainer"],
                    family=run["trainer"].split()[0],
                )
            )
    return found


def public_runs(folder: Path, name: str = "public") -> list[Labelled]:
    """Logs from public repositories, but for those whose truth is unclear."""
    found = []
    for run in _index(folder / name / "index.json") or ():
        label = run["label"].split(":")[0]
        if label in ("healthy", "sick"):
            repository = run.get("source_repo") or run["dir"]
            found.append(
                Labelled(
                    path=folder / name / run["dir"],
                    source=name,
                    program=run["dir"],
                    label=label,
                    half="tune" if name == "public" else half_of_repository(repository),
                    trainer="public logs",
                    repository=repository,
                )
            )
    return found


def half_of_repository(name: str) -> Half:
    """Which half the logs of a repository belong to."""
    return "held out" if int(hashlib.sha1(name.encode()).hexdigest()[-1], 16) % 2 else "tune"


def half_of(name: str) -> Half:
    """Which half a program belongs to: one to tune on, one to report."""
    return "tune" if hashlib.sha256(name.encode()).digest()[0] % 2 else "held out"


def _index(path: Path) -> Any:
    return orjson.loads(path.read_bytes()) if path.exists() else None
