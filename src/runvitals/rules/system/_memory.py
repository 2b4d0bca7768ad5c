"""What is known about the memory of a run's process and devices."""

from __future__ import annotations

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.rules.patient import Patient

MIN_SIZES = 5  # points of the buffer's size
STILL_GROWS = 1.02  # times; less is what is replaced between two points


def fills_a_buffer(patient: Patient, step: int) -> bool:
    """Whether a replay buffer may still be filling at this step."""
    size = patient.find("replay/size", "replay/fill_fraction")
    if size is not None and len(size) >= MIN_SIZES:
        at = int(np.searchsorted(size.steps, step))
        late = size.values[min(at, len(size) - 1) :]
        return bool(late[-1] > STILL_GROWS * late[0])
    if patient.kind != "off-policy":
        return False
    capacity = patient.number("buffer_size")
    return capacity is None or step < capacity


def peaks(series: Series, blocks: int) -> FloatArray:
    """The largest value of each of this many pieces: what counts is what the run needs at most."""
    pieces = np.array_split(series.values, min(blocks, len(series)))
    return np.array([float(piece.max()) for piece in pieces])
