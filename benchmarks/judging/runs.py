"""What the rules say about labelled runs, many at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

from rich.progress import Progress

from benchmarks.judging.baselines import BASELINES
from benchmarks.judging.labels import Labelled

if TYPE_CHECKING:
    from runvitals.model import Diagnosis, Finding, Run

BAD_WORDS = frozenset({"stalled", "not learning", "collapsed", "diverged", "overfitting"})
GOOD_WORDS = frozenset({"learning", "learned"})
HYGIENE = "DATA"  # findings about the log itself: they do not make a run sick
TOP = 3  # findings among which the fault should be named
PATIENCE = 300.0  # seconds for a rule, so that the figures do not depend on how busy the machine is


@dataclass(frozen=True)
class Judgement:
    """What the rules said about a run, and what simpler judges say."""

    run: Labelled
    codes: tuple[str, ...]  # of alarms, in order; consequences after their cause
    verdict: str
    last_step: int = 0
    first_seen: int | None = None  # of the first alarm that is right, if any is, else of any alarm
    lead: int | None = None  # steps from there until the outcome fell
    kind: str = "unknown"  # of training
    baselines: frozenset[str] = frozenset()  # the simple judges that raise an alarm
    stories: tuple[tuple[str, ...], ...] = ()  # the same codes, each cause with what it led to
    critical: tuple[str, ...] = ()  # those of the alarms that are
    notices: tuple[str, ...] = ()  # codes that were not alarmss

    @property
    def alarmed(self) -> bool:
        """Whether there was a bad word, or a warning or worse.

        One about the log itself counts only where that is the fault.
        """
        return self.called == "bad" or any(map(self.counts, self.codes))

    def counts(self, code: str) -> bool:
        """Whether a finding says anything about the run, and not about its log."""
        return not code.startswith(HYGIENE) or code in self.run.right

    @property
    def called(self) -> str:
        """What the verdict's word comes down to: good, bad or unsure."""
        if self.verdict in BAD_WORDS:
            return "bad"
        return "good" if self.verdict in GOOD_WORDS else "unsure"

    @property
    def praised(self) -> bool:
        """Whether it was called learning or learned, and nothing was alarmed."""
        return self.called == "good" and not self.alarmed

    @property
    def named(self) -> bool:
        """Whether an expected rule is in the first findings, each with what it led to."""
        return any(code in self.run.expect for story in self.stories[:TOP] for code in story)

    @property
    def named_strictly(self) -> bool:
        """Whether it is among the first three codes, if consequences are counted like causes."""
        return any(code in self.run.expect for code in self.codes[:TOP])

    @property
    def named_or_accepted(self) -> bool:
        """Whether an expected or acceptable rule is among them."""
        return any(code in self.run.right for story in self.stories[:TOP] for code in story)

    @property
    def delay(self) -> float | None:
        """From the onset of the fault until it could be seen, as a share of the run."""
        if self.first_seen is None or self.run.onset is None or not self.last_step:
            return None
        return max(0, self.first_seen - self.run.onset) / self.last_step

    @property
    def lead_share(self) -> float | None:
        """From there until the outcome fell, as a share of the run."""
        return None if self.lead is None or not self.last_step else self.lead / self.last_step


def judge(run: Labelled, *, since_when: bool = True) -> Judgement | str:
    """The judgement, or why there is none."""
    import runvitals as rv
    from runvitals.model import RunvitalsError

    try:
        opened = rv.open_runs(run.path)
    except RunvitalsError as error:
        return f"{run.path.name}: {error}"
    return _judged(run, opened, since_when=since_when) if opened else f"{run.path.name}: no run"


def _judged(run: Labelled, opened: Sequence[Run], *, since_when: bool) -> Judgement:
    from runvitals.diagnosis.engine import Choice
    from runvitals.diagnosis.judge import Settings
    from runvitals.diagnosis.judge import judge as judge_run
    from runvitals.rules.patient import Patient

    settings = Settings(Choice(seconds_per_rule=PATIENCE))
    judged = [judge_run(one, settings, since_when=since_when) for one in opened]
    found = max(reversed(judged), key=lambda one: _badness(one.verdict.word))
    patient = Patient(opened[judged.index(found)])
    outcome = None if patient.outcome is None else patient.outcome.values
    every = [found, *(one for one in judged if one is not found)]
    stories = _stories(every, run)
    alarms = [f for story in stories for f in story]
    others = [f for one in every for f in one.all_findings if f not in alarms]
    telling = _right(alarms, run) or alarms
    seen = [f.first_seen for f in telling if f.first_seen is not None]
    leads = [f.lead for f in telling if f.lead is not None]
    return Judgement(
        run=run,
        codes=tuple(f.code for f in alarms),
        verdict=found.verdict.word,
        last_step=patient.run.last_step or 0,
        first_seen=min(seen, default=None),
        lead=max(leads, default=None),
        kind=patient.kind,
        stories=tuple(tuple(f.code for f in story) for story in stories),
        critical=tuple(f.code for f in alarms if f.severity == "critical"),
        notices=tuple(f.code for f in others),
        baselines=frozenset(name for name, alarms_at in BASELINES.items() if alarms_at(outcome)),
    )


def _right(findings: Sequence[Finding], run: Labelled) -> list[Finding]:
    return [finding for finding in findings if finding.code in run.right]


def _stories(judged: Sequence[Diagnosis], run: Labelled) -> list[list[Finding]]:
    """The alarms of each story; a fault of the log itself is found by what is said about the log."""
    from runvitals.model import all_findings
    from runvitals.render.judged import serious

    stories = [
        [f for f in all_findings((story,)) if f.is_alarm] for one in judged for story in one.alarms
    ]
    of_log = [f for one in judged for f in _right(serious(one.telemetry), run)]
    return [*stories, *([finding] for finding in of_log)]


def _badness(word: str) -> int:
    """Of several runs in one log, the worst is told; a good one before one that nobody can judge."""
    return 2 if word in BAD_WORDS else 1 if word in GOOD_WORDS else 0


def judge_all(
    runs: list[Labelled], *, workers: int, since_when: bool, bar: Progress
) -> Iterator[Judgement | str]:
    """All judgements, in the order of the runs."""
    shown = bar.add_task("judging", total=len(runs))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for found in pool.map(partial(judge, since_when=since_when), runs, chunksize=8):
            bar.advance(shown)
            yield found
