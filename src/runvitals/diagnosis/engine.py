"""Run the rules over a run and make one story of what they say."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from runvitals.diagnosis.evidence import accepted, in_the_light_of_the_rate, unknown_rules
from runvitals.diagnosis.fold import fold
from runvitals.diagnosis.verdict import verdict_of
from runvitals.diagnosis.worker import CallThread
from runvitals.model import Diagnosis, Finding, Hit, NotChecked, Run, Severity, Verdict
from runvitals.rules.outcome.health import stated_by
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule, rules
from runvitals.rules.severity import severity_of, so_far, together

PARTIAL = "but parts of its data are missing"
PREFIXES = 24  # at which a finished run is looked at again, to say since when it could be seen
STRIDE = 4  # parts at a time, at first: an alarm that stands for long costs few looks
SECONDS_PER_RULE = 5.0  # one that takes longer hangs (judgement)
MAX_TIMEOUTS = 3  # of a rule of other people in one process
OWN_RULES = "runvitals.rules."

_timeouts: Counter[str] = Counter()


@dataclass(frozen=True)
class Choice:
    """Which rules to run, and how: what a user may configure."""

    select: tuple[str, ...] = ()  # codes or their beginnings; empty: all stable rules
    ignore: tuple[str, ...] = ()
    preview: bool = False
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by code
    severities: Mapping[str, Severity] = field(default_factory=dict)  # by code
    seconds_per_rule: float = SECONDS_PER_RULE
    texts: bool = True  # whether findings may quote what a model wrote

    def wants(self, rule: Rule) -> bool:
        """Whether to run this rule."""
        if self.ignore and _among(rule, self.ignore):
            return False
        if self.select:
            return _among(rule, self.select)
        return self.preview or not rule.preview


def _among(rule: Rule, codes: Iterable[str]) -> bool:
    return any(rule.code.startswith(code) or rule.name == code for code in codes)


def judge_by_rules(
    run: Run,
    choice: Choice | None = None,
    *,
    extra: Iterable[Rule] = (),
    live: bool = False,
    since_when: bool = True,
    before_each: Callable[[Rule], None] | None = None,
) -> Diagnosis:
    """All that the rules have to say about a run. Long series are thinned out first.

    `since_when`: look at earlier parts of the run too, to say from which step an alarm was visible.
    `before_each` is called with each rule before it is run; what it raises ends the diagnosis.
    """
    choice = choice or Choice()
    patient = Patient(_with_text(replace(run, points=run.points.thinned())))
    known = {**rules(), **{rule.code: rule for rule in extra}}
    findings: list[Finding] = []
    not_checked: list[NotChecked] = []
    clear: list[str] = []
    problems = unknown_rules(run.expectations, known)
    with CallThread() as worker:
        for rule in known.values():
            if not choice.wants(rule):
                continue
            if (reason := _unfit(rule, patient, live=live)) is not None:
                not_checked.append(NotChecked(rule.code, rule.name, reason))
                continue
            if before_each is not None:
                before_each(rule)
            rule_run = _RuleRun(rule, patient, choice, worker)
            try:
                hits = rule_run.hits(patient)
            except Exception as error:  # noqa: BLE001  a rule of any origin; the others go on
                if isinstance(error, TimeoutError):
                    _timeouts[rule.code] += 1  # its thread goes on: no more of them
                problems.append(f"{rule.code} failed: {type(error).__name__}: {error}")
                not_checked.append(NotChecked(rule.code, rule.name, "the rule failed"))
                continue
            if not hits:
                clear.append(rule.code)
            for hit in hits:
                finding = _finding(rule, hit, choice, patient, run)
                if since_when and finding.severity != "notice":
                    try:
                        finding = replace(finding, first_seen=rule_run.first_seen(finding))
                    except Exception as error:  # noqa: BLE001  of the whole run it spoke: that stands
                        problems.append(
                            f"{rule.code} failed on a part: {type(error).__name__}: {error}"
                        )
                findings.append(finding)
    folded = fold(together(findings, known, patient), known, patient)
    if since_when:
        folded = [_with_lead(finding, patient) for finding in folded]
    verdict = verdict_of(patient, folded, not_checked, clear, known)
    verdict = replace(verdict, reason=verdict.reason + _left_out(patient, verdict, choice, known))
    if run.missing:
        verdict = replace(verdict, reason=f"{verdict.reason}, {PARTIAL}")
    return Diagnosis(verdict, tuple(folded), tuple(not_checked), tuple(clear), tuple(problems))


def _with_text(run: Run) -> Run:
    """With measures of its samples, if it has any: what reads them is imported only then."""
    if run.read_samples is None:
        return run
    from runvitals.rollouts.series import with_text

    return with_text(run)


def _left_out(patient: Patient, verdict: Verdict, choice: Choice, known: Mapping[str, Rule]) -> str:
    """What is said where the user left out the rule that would report a bad word: no finding does."""
    code = stated_by(patient)
    if code is None or verdict.word != patient.health.word or choice.wants(known[code]):
        return ""
    why = "ignored" if _among(known[code], choice.ignore) else "not selected"
    return f" ({code} would report this, but is {why})"


def _unfit(rule: Rule, patient: Patient, *, live: bool) -> str | None:
    """Why a rule is not run; None if it is."""
    if rule.live_only and not live:
        return "only while a run is live"
    if (reason := rule.missing(patient)) is not None:
        return reason
    if _timeouts[rule.code] >= MAX_TIMEOUTS:
        return f"it took too long on {MAX_TIMEOUTS} runs before"
    return None


class _RuleRun:
    """One rule run on a patient, and on the same patient when it had not come so far."""

    def __init__(self, rule: Rule, patient: Patient, choice: Choice, worker: CallThread) -> None:
        self.rule, self.patient, self.choice, self.worker = rule, patient, choice, worker
        self._spoken_of: dict[int, frozenset[str]] = {}  # series, by the last step of a part

    def hits(self, patient: Patient) -> list[Hit]:
        """What the rule says; rules of other people within their time."""
        options = self.choice.options.get(self.rule.code, {})
        own = self.rule.check.__module__.startswith(OWN_RULES)
        seconds = math.inf if own else self.choice.seconds_per_rule
        return self.worker.limited(lambda: self.rule.hits(patient, **options), seconds)

    def first_seen(self, finding: Finding) -> int:
        """The earliest part of the run from which on the rule says the same about the same series.

        Parts are tried from the whole run backwards in long strides, then in short ones.
        """
        last = self.patient.last_step
        steps = np.linspace(0, last, PREFIXES + 1, dtype=np.int64)[1:].tolist()

        def visible(index: int) -> bool:
            if index < 0 or steps[index] < finding.span.first:
                return False
            return finding.series in self._spoken_of_until(steps[index])

        # Backwards from the end, not by halving: a finding may come and go, and what counts is when it
        # came to stay.
        seen = PREFIXES - 1
        for stride in (STRIDE, 1):
            while visible(seen - stride):
                seen -= stride
        return int(steps[seen])

    def _spoken_of_until(self, step: int) -> frozenset[str]:
        """The series that the rule speaks of when the run has come so far."""
        if step not in self._spoken_of:
            earlier = self.patient.earlier(step)
            hits = [] if self.rule.missing(earlier) is not None else self.hits(earlier)
            self._spoken_of[step] = frozenset(hit.series for hit in hits)
        return self._spoken_of[step]


def _finding(rule: Rule, hit: Hit, choice: Choice, patient: Patient, run: Run) -> Finding:
    severity = choice.severities.get(rule.code) or severity_of(rule, hit, patient)
    excused = rule.excused_by_outcome and hit.severity is None and severity == "notice"
    series = run.get(hit.series)
    binding = None if series is None else run.bindings.get(series.name)
    found = Finding(
        code=rule.code,
        name=rule.name,
        severity=severity,
        series=hit.series,
        span=hit.span,
        message=hit.message + (so_far(patient) if excused else ""),
        advice=hit.advice,
        causes=hit.causes,
        limit=hit.limit,
        also=hit.also,
        preview=rule.preview,
        area=rule.area,
        rank=hit.rank,
        quotes=hit.quotes if choice.texts else (),
        metric=None if binding is None else binding.metric,
    )
    return accepted(in_the_light_of_the_rate(found, patient), run.expectations)


def _with_lead(finding: Finding, patient: Patient) -> Finding:
    """How long before the outcome fell a finding could be seen."""
    outcome = patient.outcome
    if outcome is None or not patient.health.falls or finding.first_seen is None:
        return finding
    fell_at = int(outcome.series.steps[min(outcome.course.begins, len(outcome.series) - 1)])
    return replace(finding, lead=max(0, fell_at - finding.first_seen))
