"""The report card: how each area of a run does, and why.

An area is well only if a check of its own looked at a series of its own. Checks that look at any series
(for NaN, for a broken time axis, ...) say nothing about an area of which nothing was logged.
"""

from collections.abc import Iterator, Mapping, Sequence

from runvitals.model import Finding, Grade, NotChecked, all_findings
from runvitals.model.finding import TELEMETRY, Mark, VerdictWord
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule

OUTCOME = "outcome"
GOOD_WORDS = ("learning", "learned")
UNDECIDED_WORDS = ("too early to tell", "cannot tell")

# the areas in reading order, and how the metrics begin that each of them is about
SUBJECTS: Mapping[str, tuple[str, ...]] = {
    OUTCOME: ("outcome/", "reward/", "eval/"),
    "policy": ("policy/", "explore/", "control/"),
    "value": ("value/", "advantage/", "returns/"),
    "preference": ("preference/", "eval/preference/"),
    "reward model": ("rm/", "eval/rm/"),
    "optimisation": (
        "optim/",
        "policy/",
        "value/",
        "lm/",
        "supervised/",
        "preference/",
        "rm/",
        "net/",
    ),
    "data and lengths": (
        "length/",
        "agent/",
        "mismatch/",
        "async/",
        "outcome/episode_length",
        "data/",
    ),
    "efficiency": ("time/", "throughput/", "async/", "balance/"),
    "system": ("system/",),
    "expectations": (),
    TELEMETRY: (),
}


def grades_of(
    word: VerdictWord,
    reason: str,
    patient: Patient,
    findings: Sequence[Finding],
    not_checked: Sequence[NotChecked],
    clear: Sequence[str],
    known: Mapping[str, Rule],
) -> Iterator[Grade]:
    """A grade for each area that any rule is about; that of the outcome follows the verdict."""
    everything = list(all_findings(findings))
    said: dict[str, list[Finding]] = {}
    ran_in: dict[str, list[Rule]] = {}
    skipped_in: dict[str, list[str]] = {}
    for finding in everything:
        said.setdefault(known[finding.code].area, []).append(finding)
    for code in dict.fromkeys((*clear, *(finding.code for finding in everything))):
        ran_in.setdefault(known[code].area, []).append(known[code])
    for rule in not_checked:
        skipped_in.setdefault(known[rule.code].area, []).append(rule.reason)
    areas = {*ran_in, *skipped_in}
    for area in (*SUBJECTS, *sorted(areas - SUBJECTS.keys())):
        mine, ran, skipped = said.get(area, []), ran_in.get(area, []), skipped_in.get(area, [])
        alarms = [finding for finding in mine if finding.severity != "notice"]
        if area == OUTCOME:
            yield _of_outcome(word, reason, alarms)
        elif alarms:
            worst = any(finding.severity == "critical" for finding in alarms)
            mark: Mark = "bad" if worst and area != TELEMETRY else "watch"
            yield Grade(area, mark, alarms[0].message)
        elif checks := [rule for rule in ran if _is_specific(rule, patient)]:
            yield Grade(area, "good", _nothing_wrong(len(checks), len(mine)))
        elif ran or skipped:
            yield Grade(
                area, "not checked", skipped[0] if skipped else "none of its metrics was logged"
            )


def _of_outcome(word: VerdictWord, reason: str, alarms: Sequence[Finding]) -> Grade:
    if word in UNDECIDED_WORDS and not alarms:
        return Grade(OUTCOME, "not checked", reason)
    if word not in (*GOOD_WORDS, *UNDECIDED_WORDS):
        return Grade(OUTCOME, "bad", reason)
    if any(finding.severity == "critical" for finding in alarms):
        return Grade(OUTCOME, "bad", alarms[0].message)
    return Grade(OUTCOME, "watch", alarms[0].message) if alarms else Grade(OUTCOME, "good", reason)


def _is_specific(rule: Rule, patient: Patient) -> bool:
    """Whether a rule that ran looked at a series that its area is about."""
    if rule.area == TELEMETRY:
        return len(patient.run) > 0  # every series is its subject
    subject = SUBJECTS.get(rule.area, ("",))
    metrics = [metric for need in rule.needs for metric in need.names]
    return any(metric.startswith(subject) and patient.find(metric) for metric in metrics)


def _nothing_wrong(checks: int, notices: int) -> str:
    said = "1 check" if checks == 1 else f"{checks} checks"
    if not notices:
        return f"{said}, nothing to report"
    return f"{said}, {notices} {'notice' if notices == 1 else 'notices'}"
