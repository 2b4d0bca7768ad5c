"""What the outcomes of a run amount to: a word, its plot, and what rules may ask about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from runvitals.model import Hit, Severity
from runvitals.model.finding import MAX_CHANCE, VerdictWord
from runvitals.rules.outcome.course import COLLAPSED
from runvitals.rules.outcome.reading import Outcome, Outcomes

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

Plot = Literal[
    "rises",  # and goes on rising
    "holds",  # risen, or high, and stays there
    "lost",  # much of a clear rise is gone
    "worse",  # below its start
    "stuck",  # never rose, or by less than matters
    "low",  # rose, and stands still far from where it should be
    "parted",  # training gets better, held-out does not
    "missed",  # what is paid for gets better, success does not
    "steady",  # never rose, but began where a healthy run may well stay
    "unsure",
    "early",
    "none",
]

MIN_CALIBRATED = 100  # rows: chances of fewer are too sure (measured, see docs/scoreboard.md)
BAD: tuple[Plot, ...] = ("lost", "worse", "stuck", "low", "parted", "missed")


@dataclass(frozen=True)
class Health:
    """How the run does, by its outcomes: what every rule and every page goes by."""

    word: VerdictWord
    plot: Plot
    reason: str
    outcomes: Outcomes
    main: Outcome | None = None  # the series the word rests on

    @property
    def chance(self) -> float | None:
        """That the word is right; None where no chance could be shown to be about right.

        That is so where few rows, or more than one series, decide it, and of a standstill.
        """
        if self.main is None or self.main.course.points < MIN_CALIBRATED:
            return None
        chances = self.main.course.chances
        if self.good:
            return min(max(chances["rise"], chances["high"]), MAX_CHANCE)
        return min(max(chances["lost"], chances["worse"]), MAX_CHANCE) if self.falls else None

    @property
    def good(self) -> bool:
        """An outcome rose or is high, and no other contradicts."""
        return self.plot in ("rises", "holds")

    @property
    def falls(self) -> bool:
        """Clearly worse than it was: at its best, or at the start."""
        return self.plot in ("lost", "worse")

    @property
    def bad(self) -> bool:
        """It falls, is stuck, or training gets better at something else."""
        return self.plot in BAD

    @property
    def struggles(self) -> bool:
        """Bad, or unsure and not leaning upwards: then odd signs are signs of trouble."""
        return self.bad or (self.plot == "unsure" and not self.leans_up)

    @property
    def leans_up(self) -> bool:
        """Neither good nor bad can be shown, but a gain that matters is likelier than not."""
        return self.plot == "unsure" and self.main is not None and self.main.course.leans_up

    @property
    def gets_nowhere(self) -> bool:
        """It struggles, and a gain over its start is unlikely."""
        return self.struggles and self.main is not None and not self.main.course.leans_up

    @property
    def solved(self) -> bool:
        """Good, and next to the most it can be: then little can be wrong."""
        return self.good and self.main is not None and self.main.course.shape == "high"

    @property
    def early(self) -> bool:
        """Too few points, or too little of the plan."""
        return self.plot == "early"


# By kind of training and plot ("": any other), the rule that states a bad story: each has one.
STATED_BY: dict[str, dict[Plot | Literal[""], str]] = {
    "task": {
        "lost": "REW003",
        "worse": "REW011",
        "parted": "EVAL002",
        "missed": "REW001",
        "": "REW005",
    },
    "sft": {"lost": "SFT002", "worse": "SFT002", "parted": "SFT003", "": "SFT001"},
    "preference": {"parted": "DPO002", "": "DPO001"},
    "reward-model": {"parted": "RM004", "": "RM001"},
}
# what an outcome is about where the kind of training is unknown
ABOUT = {"lm": "sft", "supervised": "sft", "optim": "sft", "loss": "sft", "rm": "reward-model"}
MANY = 30  # points after which one that never rose is lost, if its plan is unknown; live, 3 times


def stated_by(patient: Patient) -> str | None:
    """The code of the rule that has to state the story; None if it is not bad."""
    health = patient.health
    if not health.bad or health.main is None:
        return None
    by_plot = STATED_BY[_training_of(patient, health.main)]
    return by_plot.get(health.plot, by_plot[""])


def _training_of(patient: Patient, main: Outcome) -> str:
    if patient.kind != "unknown":
        return patient.kind if patient.kind in STATED_BY else "task"
    about = main.metric.removeprefix("eval/").split("/")[0]
    return about if about in STATED_BY else ABOUT.get(about, "task")


def statement(
    patient: Patient,
    code: str,
    *,
    advice: str,
    causes: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    aside: str = "",
) -> Hit | None:
    """The story as a hit, if it is this rule's to state."""
    main = patient.health.main
    if stated_by(patient) != code or main is None:
        return None
    others = [one for one in (patient.training, patient.held_out) if one not in (None, main)]
    named = [one.series.name for one in others if one is not None and one.course.speaks]
    fell = min(main.course.begins, len(main.series) - 1) if patient.health.plot == "lost" else 0
    return Hit(
        series=main.series.name,
        span=main.series.span(fell),  # from where it went wrong: the fall, or the beginning
        message=patient.health.reason + aside,
        advice=advice,
        severity=_severity(patient, main),
        causes=causes,
        also=tuple(dict.fromkeys((*also, *named))),
    )


def _severity(patient: Patient, main: Outcome) -> Severity:
    """Critical where the run is lost. Few formats say that a run has ended: unknown counts as over."""
    plot, course, tries = patient.health.plot, main.course, patient.is_any_of(["rl"])
    over = patient.run.status != "running" and patient.until is None
    lost = {
        "lost": course.lost >= COLLAPSED,
        "worse": True,
        "stuck": tries and over and course.points >= MANY,
        "parted": tries and course.falls,
    }
    return "critical" if lost.get(plot) else "warning"
