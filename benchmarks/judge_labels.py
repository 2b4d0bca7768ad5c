"""Runs whose truth is known, from three places, and the half of the scoreboard each belongs to.

- lab: made by `benchmarks.scoreboard`; a kill test decided which faults do harm. What a fault should be
  called is read from today's lab, since it may have been corrected after the run was made.
- sb3: Stable-Baselines3 runs with deliberate faults; their index says which of them hurt.
- public: logs from public repositories, labelled by looking at them; without names for their faults.

Runs with the same program name go to the same half, so that no fault is tuned on one seed and reported
on another.
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

SOURCES = ("lab", "sb3", "public")
HALVES: tuple[Half, ...] = ("tune", "held out")
ROOT = Path(__file__).parent.parent
LAB = ROOT / ".scoreboard"
CORPUS = ROOT.parent / "shared" / "corpus"

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

    @property
    def right(self) -> frozenset[str]:
        """All rules that name the fault."""
        return frozenset((*self.expect, *self.accept))


def labelled_runs(lab: Path = LAB, corpus: Path = CORPUS) -> list[Labelled]:
    """All of them; a source that is not there has none."""
    return [*lab_runs(lab), *sb3_runs(corpus), *public_runs(corpus)]


def lab_runs(folder: Path) -> list[Labelled]:
    """The runs of the lab, but for those whose fault was not tested.

    A run without a fault that missed its target all the same is left out as well: it is no example of
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


def public_runs(folder: Path) -> list[Labelled]:
    """Logs from public repositories, but for those whose truth is unclear."""
    found = []
    for run in _index(folder / "public" / "index.json") or ():
        label = run["label"].split(":")[0]
        if label in ("healthy", "sick"):
            found.append(
                Labelled(
                    path=folder / "public" / run["dir"],
                    source="public",
                    program=run["dir"],
                    label=label,
                    half=half_of(run["dir"]),
                    trainer="public logs",
                )
            )
    return found


def half_of(name: str) -> Half:
    """Which half a program belongs to: one to tune on, one to report."""
    return "tune" if hashlib.sha256(name.encode()).digest()[0] % 2 else "held out"


def _index(path: Path) -> Any:
    return orjson.loads(path.read_bytes()) if path.exists() else None
