"""Shares of rollouts or prompts that are lost: cut off, broken, or stopped."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from runvitals.rules.detectors import Detection, above
from runvitals.rules.patient import Patient
from runvitals.signals.late import late_mean
from runvitals.signals.rates import as_rate, is_share

MOST = 0.5  # of them (judgement): then hardly anything is ever seen whole, whatever it is paid


class Lost(NamedTuple):
    """Where a share is above its limit up to the end, and how large it is there."""

    found: Detection
    share: float

    @property
    def beyond_excuse(self) -> bool:
        """Most are lost, or more than the user allows: no outcome excuses that."""
        limit = self.found.limit
        return self.share >= MOST or (limit is not None and limit.from_run)


def lost(patient: Patient, metric: str, option: float | None = None) -> Lost | None:
    """The share of a metric that is lost at the end, if it is above the catalog's limit."""
    series, limit = patient.find(metric), patient.band(metric, option=option)
    if series is None or limit is None or not is_share(series.values):
        return None
    found = above(replace(series, values=as_rate(series.values)), limit, to_end=True)
    return None if found is None else Lost(found, late_mean(series.values))
