from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from runvitals.diagnosis.live.announcer import Announcer
from runvitals.diagnosis.open_findings import Moment
from runvitals.model import Finding, Span

KL = Finding("KL001", "kl", "critical", "kl", Span(0, 9, 10), "policy KL above 0.04")
LR = replace(KL, code="LR001", series="rate", message="learning rate jumped")


def said(*looks: list[Finding]) -> list[str]:
    """What is announced about looks at a run, one after the other."""
    lines: list[str] = []
    info = SimpleNamespace(
        guest=True,
        name="run",
        segment=1,
        listeners=[],
        verdict_listeners=[],
        complain=print,
        stops=False,
        stop_listeners=[],
    )
    announcer = Announcer(info, SimpleNamespace(tell=lambda *_: None), lines.append)
    verdict = SimpleNamespace(word="cannot tell", reason="")
    for i, findings in enumerate(looks):
        found = SimpleNamespace(findings=findings, verdict=verdict)
        announcer.take_in(found, Moment(step=i, rows=10 * i, time=float(i)))
    return lines


def test_what_a_later_finding_explains_is_told_so_that_the_count_agrees_with_check():
    story = replace(LR, follows=(KL,))

    lines = said([KL], [story], [story])

    assert lines == [
        "KL001 critical at step 0: policy KL above 0.04",
        "LR001 critical at step 1: learning rate jumped",
        "KL001 follows from LR001: policy KL above 0.04",
    ]


def test_a_consequence_whose_cause_is_over_is_announced_again():
    story = replace(LR, follows=(KL,))

    lines = said([story], [KL], [KL])

    assert [line.split()[:2] for line in lines] == [
        ["LR001", "critical"],
        ["KL001", "critical"],
        ["LR001", "over"],
    ]


def told(*words: str) -> list[str]:
    """Which words are told, of looks after 100 rows each."""
    heard: list[str] = []
    info = SimpleNamespace(
        guest=True,
        name="run",
        segment=1,
        listeners=[],
        verdict_listeners=[lambda verdict: heard.append(verdict.word)],
        complain=print,
        stops=True,
        stop_listeners=[],
    )
    announcer = Announcer(info, SimpleNamespace(tell=lambda *_: None), None)
    for i, word in enumerate(words, 10):
        found = SimpleNamespace(findings=[], verdict=SimpleNamespace(word=word, reason=""))
        announcer.take_in(found, Moment(step=i, rows=100 * i, time=float(i)))
    return heard


def test_a_claim_is_taken_back_only_after_the_run_has_grown_by_much():
    assert told("learning", *["learned"] * 3, *["learning"] * 3) == ["learning"]
    assert told("learning", *["learned"] * 9) == ["learning", "learned"]
    assert told("learning", *["stalled"] * 3, "learning") == ["learning"]


def test_what_nobody_can_tell_for_a_while_takes_no_claim_back():
    words = told("learning", *["cannot tell"] * 3, *["learned"] * 4, *["learning"] * 3)

    assert words == ["learning", "cannot tell", "learning"]
