"""The lines about vitals that are out of range: few, short, and never about what a finding tells."""

from __future__ import annotations

from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import Finding, Span, Verdict
from runvitals.render.vital_table import lines, out_of_range
from runvitals.testing import make_run
from runvitals.vitals import vitals_of

CLIPPED = [0.1] * 40 + [0.55] * 40
WELL = Verdict("learning", "it rises", "outcome/return_mean")


def finding(series: str, *also: str) -> Finding:
    return Finding("CLIP001", "n", "warning", series, Span(0, 1, 2), "message", also=also)


def vitals(**more):
    return vitals_of(make_run({"policy/clip_fraction": CLIPPED, **more}, algorithm="PPO"))


def test_a_line_tells_level_edge_source_since_when_and_what_the_outcome_does():
    [line] = lines(vitals(), [], WELL)

    assert line == (
        "policy/clip_fraction 0.55, above 0.3 (Training Monitoring Guide) since step 41; "
        "the outcome is holding up so far"
    )


def test_where_the_outcome_suffers_the_line_is_silent_about_it():
    [line] = lines(vitals(), [], Verdict("collapsed", "it fell", "outcome/return_mean"))

    assert line.endswith("since step 41")


def test_where_there_is_no_outcome_the_line_says_so():
    [line] = lines(vitals(), [], Verdict("cannot tell", "no outcome", None))

    assert line.endswith("; no outcome was logged to compare with")


def test_a_vital_of_which_a_shown_finding_speaks_is_not_told_twice():
    assert out_of_range(vitals(), [finding("policy/clip_fraction")]) == []
    assert out_of_range(vitals(), [finding("other", "policy/clip_fraction")]) == []
    assert len(out_of_range(vitals(), [finding("value/loss")])) == 1


def test_many_lines_are_cut_and_counted():
    more = {"policy/approx_kl": [0.9] * 80, "mismatch/k3_kl": [0.9] * 80}

    said = list(lines(vitals(**more), [], WELL, most=1))

    assert len(said) == 2
    assert said[1] == "2 more (runvitals vitals shows them)"


def test_a_healthy_run_has_no_such_line():
    run = make_run(
        {"policy/clip_fraction": [0.1] * 60, "outcome/return_mean": range(60)}, algorithm="PPO"
    )

    assert list(lines(vitals_of(run), [], judge(run, Settings()).verdict)) == []
