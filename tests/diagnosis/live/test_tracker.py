from __future__ import annotations

from dataclasses import replace

from runvitals.diagnosis.live.tracker import Tracker
from runvitals.model import Finding, FindingChange, Span

WARNING = Finding("KL001", "kl", "warning", "kl", Span(0, 9, 10), "too high")
CRITICAL = replace(WARNING, code="NUM001", severity="critical", series="loss")


def events(changes: list[FindingChange]) -> list[tuple[str, str]]:
    return [(change.event, change.finding.code) for change in changes]


def test_a_warning_opens_when_it_was_seen_twice_in_a_row():
    tracker = Tracker()

    looks = [tracker.update(seen, 1, 0.0) for seen in ([WARNING], [], [WARNING], [WARNING])]

    assert [events(changes) for changes in looks] == [[], [], [], [("opened", "KL001")]]


def test_what_is_critical_opens_at_once():
    assert events(Tracker().update([CRITICAL], 1, 0.0)) == [("opened", "NUM001")]


def test_a_finding_closes_when_it_was_gone_twice_in_a_row():
    tracker = Tracker()
    tracker.update([CRITICAL], 1, 0.0)

    looks = [tracker.update(seen, 1, 0.0) for seen in ([], [CRITICAL], [], [])]

    assert [events(changes) for changes in looks] == [[], [], [], [("closed", "NUM001")]]


def test_a_warning_that_becomes_critical_has_worsened():
    tracker = Tracker()
    tracker.update([WARNING], 1, 0.0)
    tracker.update([WARNING], 2, 0.0)

    [change] = tracker.update([replace(WARNING, severity="critical")], 3, 7.0)

    assert (change.event, change.finding.severity, change.step) == ("worsened", "critical", 3)


def test_the_last_look_is_taken_at_its_word():
    tracker = Tracker()
    tracker.update([CRITICAL], 1, 0.0)

    changes = tracker.update([WARNING], 2, 0.0, last=True)

    assert events(changes) == [("opened", "KL001"), ("closed", "NUM001")]


def test_a_consequence_says_what_explains_it():
    story = replace(CRITICAL, follows=(replace(WARNING, severity="critical"),))

    changes = Tracker().update([story], 1, 0.0)

    assert [(c.finding.code, c.part_of) for c in changes] == [("NUM001", None), ("KL001", "NUM001")]


def test_what_an_earlier_process_opened_is_not_opened_again():
    before = Tracker().update([CRITICAL], 1, 0.0)

    assert Tracker(before).update([CRITICAL], 2, 0.0) == []
