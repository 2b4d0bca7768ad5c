"""Whether responses reach the verifier whole: what is cut off has no answer that could be paid for."""

from __future__ import annotations

from runvitals.rules.patient import Patient
from runvitals.signals.late import late_mean

NEARLY_ALL = 0.9  # of the responses: judgement, as in LEN001


def unscored(patient: Patient) -> str | None:
    """That nearly all responses are cut off, in words; None if they are not, or nothing tells."""
    share = patient.find("length/response_clip_ratio")
    if share is None:
        return None
    late = late_mean(share.values)
    if not NEARLY_ALL <= late <= 1.0:
        return None
    return f"{late:.0%} of the responses are cut off"
