from __future__ import annotations

from runvitals.diagnosis.open_findings import OpenFindings
from runvitals.model import Diagnosis, Finding, Span, Verdict


def finding(code, severity="warning", first_seen=None, follows=()):
    return Finding(
        code, "odd", severity, "x", Span(1, 2, 2), "odd", first_seen=first_seen, follows=follows
    )


def diagnosis(*findings):
    return Diagnosis(Verdict("learning", "", None), findings, (), ())


def test_findings_open_and_close_with_their_steps():
    ledger = OpenFindings()

    opened, closed = ledger.update(diagnosis(finding("KL001")), 1000)
    assert [(entry.finding.code, entry.opened) for entry in opened] == [("KL001", 1000)]
    assert closed == []

    opened, closed = ledger.update(diagnosis(), 3000)
    assert opened == []
    assert [(entry.opened, entry.closed) for entry in closed] == [(1000, 3000)]
    assert ledger.open == []
    assert ledger.closed == closed


def test_what_stays_open_keeps_its_first_step_and_is_no_news():
    ledger = OpenFindings()
    ledger.update(diagnosis(finding("KL001", first_seen=400)), 1000)

    opened, closed = ledger.update(diagnosis(finding("KL001", "critical")), 2000)

    assert (opened, closed) == ([], [])
    [entry] = ledger.open
    assert (entry.opened, entry.finding.severity) == (400, "critical")


def test_a_finding_that_becomes_a_consequence_of_another_stays_open():
    ledger = OpenFindings()
    effect = finding("KL001")
    ledger.update(diagnosis(effect), 1000)

    opened, closed = ledger.update(diagnosis(finding("LR001", "critical", follows=(effect,))), 2000)

    assert [entry.finding.code for entry in opened] == ["LR001"]
    assert closed == []
    assert [entry.finding.code for entry in ledger.open] == ["LR001", "KL001"]


def test_notices_are_not_kept():
    ledger = OpenFindings()

    opened, _ = ledger.update(diagnosis(finding("DATA001", "notice")), 1000)

    assert opened == []
