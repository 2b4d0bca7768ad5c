"""Make one story of findings that belong together, and put the stories in order.

A story begins with the earliest cause that accounts for the rest: of what may explain a finding by the
table of causes, at that time and by this run's numbers, the one that nothing else explains.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from runvitals.diagnosis.plausible import bears_out
from runvitals.model import SEVERITIES, Finding, all_findings
from runvitals.rules.causes import OVER_THE_WHOLE_RUN, STATES_THE_OUTCOME, spoils_the_outcome
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule

# How much earlier than its cause a consequence may be seen: rules need some points to be sure.
SLACK = 0.15  # of the points of the consequence's series
MIN_SLACK, MAX_SLACK = 5, 20  # points: never fewer than the first, never more than the second
SHORT_SLACK = 3  # points, where it is only said in general that the one leads to the other
EARLY = 0.25  # of a run that is judged as a whole: what is there by then may have shaped it

Links = Mapping[int, set[int]]  # the causes of each finding, by position


def fold(findings: Sequence[Finding], known: Mapping[str, Rule], patient: Patient) -> list[Finding]:
    """Put each consequence under the cause that explains it; the worst and earliest story first."""
    ordered = sorted(findings, key=_urgency)
    links = _links(ordered, known, patient)
    parents: dict[int, int] = {}
    taken: set[int] = set()
    roots = [i for i in range(len(ordered)) if not links[i]]
    # The weightiest cause takes all that it may explain; the others keep what is left. A finding is
    # told once, even where several causes would do.
    for root in sorted(roots, key=lambda i: _weight(ordered, links, i)):
        members = {root, *(_reached(links, root) - taken)}
        for i in members - {root}:
            named = {
                j for j in links[i] & members if ordered[i].code in known[ordered[j].code].explains
            }
            parents[i] = _earliest(ordered, named or links[i] & members)
        taken |= members
    stories = [_story(ordered, parents, i) for i in range(len(ordered)) if i not in parents]
    return sorted(stories, key=_urgency)


# which may explain which


def _links(ordered: Sequence[Finding], known: Mapping[str, Rule], patient: Patient) -> Links:
    """The possible causes of each finding, without circles (rules of other people may make some).

    What is said in general of policy, critic and optimiser counts where the table names no cause.
    """
    links: dict[int, set[int]] = {i: set() for i in range(len(ordered))}
    # First what the table of causes names, then what is true in general: a vague link must not take the
    # place of a known one, and is allowed less time (`SHORT_SLACK`), since it says less.
    for is_named in (True, False):
        open_yet = [j for j in links if is_named or not links[j]]
        for i, j in product(range(len(ordered)), open_yet):
            cause, effect = ordered[i], ordered[j]
            rule = known[cause.code]
            related = (
                effect.code in rule.explains
                if is_named
                else cause.is_alarm and spoils_the_outcome(cause.code, rule.area, effect.code)
            )
            slack = None if is_named else SHORT_SLACK
            if (
                i != j
                and related
                and _explains(cause, effect, patient, slack)
                and i not in _reached(links, j)
            ):
                links[j].add(i)
    return links


def _explains(cause: Finding, effect: Finding, patient: Patient, slack: int | None) -> bool:
    """Whether one may have led to the other here, and was not there too late for that."""
    if effect.is_alarm and cause.severity == "notice":
        return False  # it was excused, so it is not a reason for what was not
    return _in_time(cause, effect, patient, slack) and bears_out(cause, effect, patient)


def _in_time(cause: Finding, effect: Finding, patient: Patient, slack: int | None) -> bool:
    late = cause.span.first - effect.span.first
    if late <= 0:
        return True
    if effect.code in OVER_THE_WHOLE_RUN and late <= EARLY * (effect.span.last - effect.span.first):
        return True
    points, distance = _pace(effect, patient)
    slack = slack or min(MAX_SLACK, max(MIN_SLACK, int(SLACK * points)))
    return late <= slack * distance


def _pace(finding: Finding, patient: Patient) -> tuple[int, float]:
    """How many points the finding's series has, and the usual number of steps between two."""
    series = patient.raw(finding.series)
    if series is None or len(series) < 2:
        return 0, 0.0
    return len(series), float(np.median(np.diff(series.steps)))


# which of them does


def _reached(links: Links, start: int) -> set[int]:
    """All that one finding may have led to, by however many steps."""
    found: set[int] = set()
    new = {start}
    while new:
        new = {i for i, causes in links.items() if causes & new} - found - {start}
        found |= new
    return found


def _weight(ordered: Sequence[Finding], links: Links, root: int) -> tuple[int, bool, int, int, int]:
    """What makes a cause come first: the worst it accounts for, the outcome, how much, and its time."""
    members = [ordered[root], *(ordered[i] for i in _reached(links, root))]
    return (
        _worst(members),
        not any(one.code in STATES_THE_OUTCOME for one in members),
        -sum(one.is_alarm for one in members),
        ordered[root].span.first,
        root,
    )


def _earliest(ordered: Sequence[Finding], causes: Iterable[int]) -> int:
    """Of several possible causes of one story, the one that came first."""
    return min(causes, key=lambda i: (ordered[i].span.first, i))


# the stories


def _urgency(finding: Finding) -> tuple[int, bool, int, int, str, str]:
    """The order of stories: the gravest, that of the outcome, what accounts for most, the earliest."""
    members = list(all_findings((finding,)))
    return (
        _worst(members),
        not any(one.code in STATES_THE_OUTCOME for one in members),
        -sum(one.is_alarm for one in members),
        finding.span.first,
        finding.code,
        finding.series,
    )


def _worst(findings: Iterable[Finding]) -> int:
    return min(SEVERITIES.index(finding.severity) for finding in findings)


def _story(ordered: Sequence[Finding], parents: Mapping[int, int], i: int) -> Finding:
    effects = tuple(_story(ordered, parents, j) for j, cause in parents.items() if cause == i)
    finding = ordered[i]
    if not effects:
        return finding
    effects = tuple(sorted(effects, key=lambda effect: (effect.span.first, effect.code)))
    # a story is as grave as its gravest part; what is wrong with the log makes no run sick
    serious = [effect for effect in effects if not effect.about_log]
    return replace(finding, follows=effects, severity=SEVERITIES[_worst((finding, *serious))])
