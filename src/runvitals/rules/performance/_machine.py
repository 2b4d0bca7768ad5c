"""What else the machine had to do while the run was slow."""

from __future__ import annotations

import numpy as np

from runvitals.rules.patient import Patient

# Percent of all cores from which on a machine counts as busy, and who is at work (judgement).
BUSY = {
    "system/other_cpu_percent": (50.0, "other processes"),
    "system/cpu_steal_percent": (10.0, "other virtual machines"),
}


def busy_machine(patient: Patient, step: int) -> str:
    """Says who else used the CPU from a step on; empty if nobody did, or the log does not tell.

    It follows a message: "; other processes used 85% of the CPU (12% before)".
    """
    for metric, (limit, who) in BUSY.items():
        series = patient.find(metric)
        if series is None:
            continue
        before, after = series.values[series.steps < step], series.values[series.steps >= step]
        if len(after) and (now := float(np.median(after))) >= limit:
            earlier = f" ({np.median(before):.0f}% before)" if len(before) else ""
            return f"; {who} used {now:.0f}% of the CPU{earlier}"
    return ""
