from __future__ import annotations

import pytest

from runvitals.diagnosis.live.journal import Journal, read_changes, still_open
from runvitals.model import Finding, FindingChange, Limit, Span

FINDING = Finding(
    "KL001",
    "update-kl-above-target",
    "warning",
    "train/approx_kl",
    Span(10, 90, 9),
    "KL ist zu groß 😀",
    advice="lower the rate",
    causes=("rate", "epochs"),
    limit=Limit(0.05, "this run's target_kl 0.05"),
    also=("clipfrac",),
    accepted="on purpose",
)
OPENED = FindingChange("opened", FINDING, 90, 12.5, part_of="LR001")


def test_what_was_written_is_read_again(tmp_path):
    Journal(tmp_path).add([OPENED])
    Journal(tmp_path).add([FindingChange("closed", FINDING, 120, 13.0)])

    assert read_changes(tmp_path) == [OPENED, FindingChange("closed", FINDING, 120, 13.0)]


def test_a_run_without_findings_has_none(tmp_path):
    Journal(tmp_path).add([])

    assert read_changes(tmp_path) == []


@pytest.mark.parametrize("tail", [b'{"time": 1.0, "st', b"\xff\xfe\n", b'{"other": 1}\n', b"[]\n"])
def test_a_torn_or_foreign_line_costs_only_itself(tmp_path, tail):
    Journal(tmp_path).add([OPENED])
    with open(tmp_path / "findings.jsonl", "ab") as file:
        file.write(tail)

    Journal(tmp_path).add([OPENED])

    assert read_changes(tmp_path) == [OPENED, OPENED]


def test_still_open_is_what_was_not_closed(tmp_path):
    other = FindingChange("opened", FINDING, 95, 12.6)
    closed = FindingChange("closed", FINDING, 99, 13.0)

    assert still_open([OPENED, closed]) == []
    assert still_open([OPENED, closed, other]) == [other]
