"""Logs for the dashboard's benchmark: event files with one scalar an event, as most writers do."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.reading.event_files import tags_of
from runvitals.exporters._tfevents import Template, step_bytes, step_width
from runvitals.tfevents import encode, framing

SPIKES = 20
HEIGHT = 100.0  # of a spike; all else lies between -2 and 2
ROWS = 1_000  # written at once


def write_log(folder: Path, tags: int, steps: int, seed: int = 0) -> None:
    """One run: each tag is a curve with noise, and twenty spikes of a single step."""
    rng = np.random.default_rng(seed)
    curves = np.tanh(np.linspace(0, 1, steps)[:, None] * rng.uniform(0.5, 9, tags))
    values = curves + rng.normal(0, 0.1, (steps, tags))
    values[np.linspace(0, steps, SPIKES, endpoint=False).astype(int) + steps // 50] = HEIGHT
    all_steps = np.arange(steps)
    width = step_width(all_steps)
    templates = [Template([tag], i, width) for i, tag in enumerate(tags_of(tags))]
    folder.mkdir(parents=True)
    with open(folder / "events.out.tfevents.1700000000.host", "wb") as file:
        file.write(framing.record(encode.double(1, 1.7e9) + encode.text(3, "brain.Event:2")))
        for begin in range(0, steps, ROWS):
            rows = all_steps[begin : begin + ROWS]
            encoded = step_bytes(rows, width)
            events = [t.fill(encoded, 1.7e9 + rows / 100, values[rows]) for t in templates]
            file.write(np.concatenate(events, axis=1).tobytes())
