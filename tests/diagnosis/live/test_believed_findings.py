from __future__ import annotations

from dataclasses import replace

from runvitals.diagnosis.open_findings import Moment, OpenFindings
from runvitals.model import Finding, FindingChange, Limit, Span

WARNING = Finding("KL001", "kl", "warning", "kl", Span(0, 9, 10), "too high")
CRITICAL = replace(WARNING, code="NUM001", severity="critical", series="loss")


def events(changes: list[FindingChange]) -> list[tuple[str, str]]:
    return [(change.event, change.finding.code) for change in changes]


def looks(
    tracker: OpenFindings, *stories: list[Finding], grow: float = 2.0
) -> list[list[FindingChange]]:
    """What each of some looks changes; the run grows by this factor between them."""
    return [
        tracker.update(seen, Moment(step=i, rows=int(1000 * grow**i), time=10.0 * i))
        for i, seen in enumerate(stories)
    ]


def test_a_warning_opens_when_it_was_seen_twice_in_a_row():
    found = looks(OpenFindings(), [WARNING], [], [WARNING], [WARNING])

    assert [events(changes) for changes in found] == [[], [], [], [("opened", "KL001")]]


def test_looks_that_follow_each_other_closely_do_not_count():
    found = looks(OpenFindings(), *[[WARNING]] * 8, grow=1.01)

    assert [len(changes) for changes in found] == [0, 0, 0, 0, 0, 1, 0, 0]


def test_a_warning_that_lasts_for_long_opens_even_if_little_is_logged():
    found = looks(OpenFindings(), *[[WARNING]] * 70, grow=1.0001)

    assert [i for i, changes in enumerate(found) if changes] == [60]


def test_what_is_critical_opens_at_once():
    assert events(looks(OpenFindings(), [CRITICAL])[0]) == [("opened", "NUM001")]


def test_a_finding_closes_when_it_was_gone_twice_in_a_row():
    found = looks(OpenFindings(), [CRITICAL], [], [CRITICAL], [], [])

    assert [events(changes) for changes in found[1:]] == [[], [], [], [("closed", "NUM001")]]


def test_a_warning_that_becomes_critical_has_worsened():
    found = looks(OpenFindings(), [WARNING], [WARNING], [replace(WARNING, severity="critical")])

    [change] = found[-1]
    assert (change.event, change.finding.severity, change.step) == ("worsened", "critical", 2)


def test_an_alarm_of_which_a_notice_is_left_is_over():
    notice = replace(CRITICAL, severity="notice")

    found = looks(OpenFindings(), [CRITICAL], [notice], [notice])

    assert [(c.event, c.finding.severity) for c in found[1] + found[2]] == [
        ("opened", "notice"),
        ("closed", "critical"),
    ]


def test_the_last_look_is_taken_at_its_word():
    tracker = OpenFindings()
    looks(tracker, [CRITICAL])

    changes = tracker.update([WARNING], Moment(step=2, rows=1001, time=1.0, last=True))

    assert events(changes) == [("opened", "KL001"), ("closed", "NUM001")]


def test_a_consequence_says_what_explains_it():
    story = replace(CRITICAL, follows=(replace(WARNING, severity="critical"),))

    [changes] = looks(OpenFindings(), [story])

    assert [(c.finding.code, c.part_of) for c in changes] == [("NUM001", None), ("KL001", "NUM001")]


def test_each_expectation_of_the_user_is_a_matter_of_its_own():
    first, second = (
        replace(WARNING, limit=Limit(value, "your expectation")) for value in (1.0, 2.0)
    )

    found = looks(OpenFindings(), [first], [first, second], [first, second])

    assert [len(changes) for changes in found] == [0, 1, 1]


def test_what_an_earlier_process_opened_is_not_opened_again():
    [before] = looks(OpenFindings(), [CRITICAL])

    assert looks(OpenFindings(before), [CRITICAL]) == [[]]
