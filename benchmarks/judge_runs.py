"""What the rules say about labelled runs, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

from rich.progress import Progress

from benchmarks.judge_baselines import BASELINES
from benchmarks.judge_labels import Labelled

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

    @property
    def alarmed(self) -> bool:
        """Whether there was any warning or worse."""
        return bool(self.codes)

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
    from runvitals.diagnosis.engine import Choice
    from runvitals.diagnosis.judge import Settings
    from runvitals.diagnosis.judge import judge as judge_run
    from runvitals.model import RunvitalsError
    from runvitals.reports.judged import all_findings
    from runvitals.rules.patient import Patient

    try:
        opened = rv.open_runs(run.path)
    except RunvitalsError as error:
        return f"{run.path.name}: {error}"
    if not opened:
        return f"{run.path.name}: no run"
    patient = Patient(opened[-1])
    outcome = None if patient.outcome is None else patient.outcome.values
    settings = Settings(Choice(seconds_per_rule=PATIENCE))
    found = judge_run(opened[-1], settings, since_when=since_when)
    alarms = [f for story in found.alarms for f in all_findings((story,)) if f.is_alarm]
    stories = [[f for f in all_findings((story,)) if f.is_alarm] for story in found.alarms]
    telling = [f for f in alarms if f.code in run.right] or alarms
    return Judgement(
        run=run,
        codes=tuple(f.code for f in alarms),
        verdict=found.verdict.word,
        last_step=opened[-1].last_step or 0,
        first_seen=min((f.first_seen for f in telling if f.first_seen is not None), default=None),
        lead=max((f.lead for f in telling if f.lead is not None), default=None),
        kind=patient.kind,
        stories=tuple(tuple(f.code for f in story) for story in stories),
        baselines=frozenset(name for name, alarms_at in BASELINES.items() if alarms_at(outcome)),
    )


def judge_all(
    runs: list[Labelled], *, workers: int, since_when: bool, bar: Progress
) -> Iterator[Judgement | str]:
    """All judgements, in the order of the runs."""
    shown = bar.add_task("judging", total=len(runs))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for found in pool.map(partial(judge, since_when=since_when), runs, chunksize=8):
            bar.advance(shown)
            yield found
