from __future__ import annotations

from runvitals.diagnosis.open_findings import Moment, OpenFindings
from runvitals.model import Finding, Span


def finding(code, severity="warning", first_seen=None, follows=()):
    return Finding(
        code, "odd", severity, "x", Span(1, 2, 2), "odd", first_seen=first_seen, follows=follows
    )


def watching():
    return OpenFindings(at_once=True, notices=False)


def news(known, step, *findings):
    known.update(findings, Moment(step, rows=step, time=0.0))
    opened = [entry for entry in known.news if entry.closed is None]
    return opened, [entry for entry in known.news if entry.closed is not None]


def test_findings_open_and_close_with_their_steps():
    known = watching()

    opened, closed = news(known, 1000, finding("KL001"))
    assert [(entry.finding.code, entry.opened) for entry in opened] == [("KL001", 1000)]
    assert closed == []

    opened, closed = news(known, 3000)
    assert opened == []
    assert [(entry.opened, entry.closed) for entry in closed] == [(1000, 3000)]
    assert known.open == []
    assert known.closed == closed


def test_what_stays_open_keeps_its_first_step_and_is_no_news():
    known = watching()
    news(known, 1000, finding("KL001", first_seen=400))

    opened, closed = news(known, 2000, finding("KL001", "critical"))

    assert (opened, closed) == ([], [])
    [entry] = known.open
    assert (entry.opened, entry.finding.severity) == (400, "critical")


def test_a_finding_that_becomes_a_consequence_of_another_stays_open():
    known = watching()
    effect = finding("KL001")
    news(known, 1000, effect)

    opened, closed = news(known, 2000, finding("LR001", "critical", follows=(effect,)))

    assert [entry.finding.code for entry in opened] == ["LR001"]
    assert closed == []
    assert [entry.finding.code for entry in known.open] == ["LR001", "KL001"]


def test_notices_are_not_kept():
    known = watching()

    opened, _ = news(known, 1000, finding("DATA001", "notice"))

    assert opened == []
