"""Findings, and those that they explain."""

from runvitals.model import Diagnosis, Finding, Span, Verdict, all_findings


def finding(code: str, *follows: Finding) -> Finding:
    return Finding(code, code.lower(), "warning", "loss", Span(0, 1, 2), "odd", follows=follows)


def test_each_finding_comes_once_before_its_consequences():
    stories = (finding("A", finding("B", finding("C")), finding("D")), finding("E"))
    assert [one.code for one in all_findings(stories)] == list("ABCDE")
    diagnosis = Diagnosis(Verdict("cannot tell", "", None), stories, (), ())
    assert [one.code for one in diagnosis.all_findings] == list("ABCDE")
