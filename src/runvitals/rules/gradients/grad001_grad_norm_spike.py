"""GRAD001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.model.formatting import number
from runvitals.rules.counting import counted
from runvitals.rules.gradients._kit import NORMS, is_sick
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far, suffers
from runvitals.signals.spikes import spikes

MIN_POINTS = 20  # judgement
MANY, WITHIN = 3, 50  # spikes, and the points within which they belong together (judgement)
MAX_SPIKES = 500  # spikes looked at: more change nothing


@rule("GRAD001", "grad-norm-spike", severity="notice", needs=[NORMS])
def grad_norm_spike(patient: Patient, *, factor: float = 10.0) -> Iterator[Hit]:
    """The gradient norm jumps to ten times its usual size.

    ## What it looks for
    Norms that are `factor` (10) times the median of the 50 points before and eight robust
    deviations above it, after the warm-up. Norms below the run's `max_grad_norm` never count.

    - Notice: one spike.
    - Warning: three spikes within 50 points if the outcome is not doing well, or three anywhere if
      the outcome is clearly bad.

    ## Why it matters
    One step along such a gradient can undo thousands, unless it is clipped.

    ## Usual causes
    1. A bad batch.
    2. Learning rate too high, or no warm-up.
    3. Numerical instability.
    4. A rare token with an enormous ratio.

    ## What to try
    Clip the norm, log the samples of that step, and add a warm-up.

    ## When to ignore it
    Single spikes that are clipped, and single infinite norms under fp16 loss scaling.

    ## Sources
    Training Metrics Glossary (ten times the usual norm); Training Monitoring Guide; a DanceGRPO
    thread, solved by a smaller `max_grad_norm`.
    """
    norm = patient.after_warm_up(patient[NORMS])
    if len(norm) < MIN_POINTS or float(norm.values.max()) <= factor * float(norm.values.min()):
        return
    at = spikes(norm.values, ratio=factor)
    clip = patient.number("max_grad_norm")
    if clip is not None and clip > 0:
        at = at[norm.values[at] > clip]
    if not len(at):
        return
    crowd = max(int(((at >= i) & (at < i + WITHIN)).sum()) for i in at[:MAX_SPIKES])
    sick = (crowd >= MANY and is_sick(patient)) or (len(at) >= MANY and suffers(patient))
    severity: Severity = "warning" if sick else "notice"
    top = int(at[np.argmax(norm.values[at])])
    usual = float(np.median(norm.values))
    yield Hit(
        series=norm.name,
        span=norm.span(int(at[0]), int(at[-1])),
        message=f"{counted(len(at), 'gradient spike')} of {'up to ' * (len(at) > 1)}"
        f"{number(norm.values[top], 3)} at step {int(norm.steps[top]):,} "
        f"(median {number(usual, 3)}){so_far(patient)}",
        advice="clip the gradient norm, and look at the batch of that step",
        severity=severity,
        causes=("a bad batch", "learning rate too high or no warm-up", "numerical instability"),
        limit=patient.limit(None, otherwise=factor, why="times the usual norm"),
    )
