"""How a rule is made known, and how rules are found.

A rule is a function with `@rule(...)` in a file of its own below `rules/<family>/`; importing the
file is enough. Its keyword arguments are its options, its docstring is what `runvitals rule CODE` says.
It returns a hit or None, or yields hits. What it is given is the run as a `Patient`; with a question
(`when=`, see `questions.py`) it is given where that holds, and only says so in words.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from runvitals.model import Hit, RunvitalsError, Severity
from runvitals.model.finding import VerdictWord
from runvitals.rules.causes import effects_of
from runvitals.rules.needs import Need
from runvitals.rules.patient import Patient
from runvitals.rules.questions import Question

Check = Callable[..., Iterable[Hit | None] | Hit | None]


@dataclass(frozen=True)
class Rule:
    """What a rule needs, whom it concerns, and the function that looks."""

    code: str
    name: str
    severity: Severity
    check: Check
    needs: tuple[Need, ...]
    families: tuple[str, ...]  # kinds of training it makes sense for; empty: all
    explains: tuple[str, ...]  # codes of rules whose hits are its consequences
    area: str  # of the report card
    live_only: bool = False
    preview: bool = False
    excused_by_outcome: bool = False  # a notice unless the outcome struggles
    min_points: int = 0  # of the first metric that it needs
    waits: bool = False  # until it is no longer too early to judge the outcome
    fact: bool = False  # needs no statistics: may be critical on any number of points
    verdict: VerdictWord | None = None  # the word that an alarm of it leaves to a run

    def hits(self, patient: Patient, **options: Any) -> list[Hit]:
        """All that it says of a patient who has what it needs."""
        if self.waits and patient.health.early:
            return []
        found = self.check(patient, **options)
        if found is None or isinstance(found, Hit):
            return [] if found is None else [found]
        return [hit for hit in found if hit is not None]

    @property
    def options(self) -> dict[str, Any]:
        """Its options with their usual values."""
        parameters = inspect.signature(self.check).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    @property
    def title(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.check) or self.name).split("\n")[0]

    def facts(self) -> dict[str, Any]:
        """All but the function and what it says of itself, for JSON."""
        return {
            "code": self.code,
            "name": self.name,
            "severity": self.severity,
            "title": self.title,
            "area": self.area,
            "needs": list(map(str, self.needs)),
            "families": list(self.families),
            "explains": list(self.explains),
            "preview": self.preview,
            "live_only": self.live_only,
        }

    def missing(self, patient: Patient) -> str | None:
        """Why it cannot be run on this patient; None if it can."""
        if self.families and not patient.is_any_of(self.families):
            return f"does not apply to {patient.kind} runs"
        for need in self.needs:
            if (reason := need.missing(patient)) is not None:
                return reason
        return self._too_short(patient)

    def _too_short(self, patient: Patient) -> str | None:
        if not self.min_points or not self.needs:
            return None
        series = patient.find(*self.needs[0].names)
        if series is None or len(series) >= self.min_points:
            return None
        return f"{series.name} has {len(series)} points, and {self.min_points} are needed"


_RULES: dict[str, Rule] = {}

# The line of the report card that each family of our rules belongs to, and the kinds of training it is
# about, unless it is about all. A rule may say otherwise.
_FAMILIES = """
REW: outcome; rl
GAIN: outcome; llm
EVAL SIB: outcome
KL CLIP POL: policy; policy-gradient
ENT TEMP: policy
VAL ADV: value; policy-gradient
GRAD LR NUM NET PRE: optimisation
SFT: optimisation; sft
DPO: preference; preference
RM: reward model; reward-model
TEXT: data and lengths; llm
LEN AGT MIS: data and lengths; llm-rl
DATA: telemetry
PERF LOAD: efficiency
SYS END: system
"""
_OF_FAMILY = {
    family: (area, tuple(kinds.split()))
    for line in _FAMILIES.strip().splitlines()
    for families, said in [line.split(": ")]
    for area, _, kinds in [said.partition("; ")]
    for family in families.split()
}


def rule(
    code: str,
    name: str | None = None,
    *,
    severity: Severity = "warning",
    when: Question | None = None,
    needs: Sequence[str] = (),
    families: Sequence[str] | None = None,
    explains: Sequence[str] = (),
    area: str | None = None,
    live_only: bool = False,
    preview: bool = False,
    excused_by_outcome: bool = False,
    min_points: int = 0,
    waits: bool = False,
    fact: bool = False,
    verdict: VerdictWord | None = None,
) -> Callable[[Check], Check]:
    """Make a function a rule. `needs.py` says how to write what it needs.

    Its name is that of the function, unless another is given.

    `families`: kinds of training it makes sense for; by default those of the table above, and all
    for rules of other people. `when`: a question of `questions.py` that is asked first, and whose
    metric is needed too. `explains` is for rules of other people; ours are in `causes.py`.
    `excused_by_outcome`: a hit without a severity of its own is a notice unless the outcome
    struggles, or the hit is `beyond_excuse`. `waits`: says nothing while it is too early to judge
    the outcome. `verdict`: the word that an alarm as severe as the rule leaves to a run whose
    outcome alone would be called good, or undecided.
    """

    def register(check: Check) -> Check:
        of_card, usual = _OF_FAMILY.get(code.rstrip("0123456789"), ("other", ()))
        if not check.__module__.startswith("runvitals.rules."):
            usual = ()
        check, needed = (when.then(check), [when.metric, *needs]) if when else (check, needs)
        made = Rule(
            code=code,
            name=name or check.__name__.replace("_", "-"),
            severity=severity,
            check=check,
            needs=tuple(map(Need.parse, needed)),
            families=tuple(usual if families is None else families),
            explains=(*effects_of(code), *explains),
            area=area or of_card,
            live_only=live_only,
            preview=preview,
            excused_by_outcome=excused_by_outcome,
            min_points=min_points,
            waits=waits,
            fact=fact,
            verdict=verdict,
        )
        _make_known(made)
        return check

    return register


def _make_known(made: Rule) -> None:
    known = _RULES.get(made.code)
    if known is not None and known.check.__module__ != made.check.__module__:
        raise RunvitalsError(
            f"two rules have the code {made.code}: {known.name} and {made.name}",
            hint="each rule needs its own code; choose another",
        )
    _RULES[made.code] = made


def rules() -> dict[str, Rule]:
    """All rules known, by code."""
    _import_own()
    return dict(sorted(_RULES.items()))


@cache
def _import_own() -> None:
    import runvitals.rules as package

    for module in pkgutil.walk_packages(package.__path__, "runvitals.rules."):
        import_module(module.name)
