"""Events that changed on the disk: a damaged line is told, and never taken for an event."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals.store.events import parse_event
from runvitals.store.reader import open_folder


@pytest.fixture
def logged(start):
    run = start(judge=False)
    run.log({"loss": 1.0}, step=1)
    for step in (1, 2, 3):
        run.log_text("note", f"text {step}", step=step)
        run.log_histogram("weights", np.arange(10.0), step=step)
    run.finish()
    return run.folder


def test_no_flipped_bit_of_a_line_changes_an_event(logged):
    [path] = (logged / "events").glob("*.jsonl")
    line = path.read_bytes().splitlines(keepends=True)[0]
    truth = parse_event(line)
    assert truth is not None

    for at in range(len(line) - 1):
        for bit in range(8):
            bad = bytearray(line)
            bad[at] ^= 1 << bit
            event = parse_event(bytes(bad))
            assert event is None or event == truth, f"bit {bit} of byte {at}"


def test_a_damaged_line_is_told_and_the_others_are_read(logged):
    [path] = (logged / "events").glob("*.jsonl")
    path.write_bytes(path.read_bytes().replace(b"text 2", b"text 9"))
    run = open_folder(logged)

    texts = [event.text for event in run.events() if hasattr(event, "text")]

    assert texts == ["text 1", "text 3"]
    assert any("1 line is damaged and left out" in gap for gap in run.missing)


def test_a_histogram_whose_counts_do_not_fit_its_edges_is_damaged():
    line = (
        b'{"step":1,"time":1.0,"kind":"histogram","name":"w","edges":[0,1],"counts":[1,2],'
        b'"sum":1,"sum_squares":1}'
    )

    assert parse_event(line) is None
