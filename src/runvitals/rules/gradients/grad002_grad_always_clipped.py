"""GRAD002."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.gradients._kit import NORMS, is_sick
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far, suffers
from runvitals.signals.crossing import lasting, share_at, sustained_above

MIN_POINTS = 20  # judgement
ALL_UPDATES = 0.99  # that were clipped, where no norm was logged (judgement)
MIN_SHARE = 0.3  # of the run, to its end, in which norms lie above the clip (judgement)
AT_THE_CLIP, ROUNDING = (
    0.5,
    1e-3,
)  # of the norms within so much of it: those were logged after clipping
HEAVY = 25.0  # times the ratio (judgement)
CRUSHED = (
    1000.0  # times a tiny clip: no threshold is meant to be so far below gradients (judgement)
)
TINY = 0.01  # 0.5 to 1 are usual


@rule(
    "GRAD002",
    "grad-always-clipped",
    severity="warning",
    needs=[f"{NORMS}|optim/grad_clip_fraction"],
)
def grad_always_clipped(patient: Patient, *, ratio: float = 2.0) -> Iterator[Hit]:
    """Every gradient is clipped, so the clip sets the step size instead of the learning rate.

    ## What it looks for
    The gradient norm before clipping is above `ratio` (2) times the run's `max_grad_norm` in 8 of
    10 points, up to the end and for at least 30% of the run. Many good runs train this way, so it
    is a notice unless

    - the outcome is clearly bad (warning),
    - the norm is 25 times higher still and the outcome is not doing well (warning), or
    - `max_grad_norm` is below 0.01 and the norm at least a thousand times larger (a warning
      whatever the outcome).

    If norms are not logged, a logged share of clipped updates of at least 0.99 is a notice.

    ## Why it matters
    Clipping keeps the direction of a gradient and discards its size. If gradients are cut to a
    thousandth, nothing is learned.

    ## Usual causes
    1. The threshold is too small for this model.
    2. The loss is summed instead of averaged.
    3. Rewards or values are on too large a scale.

    ## What to try
    Check how the loss is reduced and the scale of rewards. Then raise `max_grad_norm`, or lower the
    learning rate deliberately.

    ## When to ignore it
    Large models with a threshold of 1, which is meant to be reached.

    ## Sources
    Training Monitoring Guide (norm below max_grad_norm); TRL (logs the norm before clipping).
    """
    if patient.health.early:
        return
    clip = patient.number("max_grad_norm")
    norm = patient.find(*NORMS.split("|"))
    if norm is not None and clip is not None and clip > 0 and len(norm) >= MIN_POINTS:
        if (hit := _cut(patient, norm, clip, ratio)) is not None:
            yield hit
        return
    share = patient.find("optim/grad_clip_fraction")
    if share is not None and len(share) >= MIN_POINTS and float(share.values.mean()) >= ALL_UPDATES:
        yield Hit(
            series=share.name,
            span=share.span(),
            message=f"gradients are clipped in {share.values.mean():.0%} of all updates",
            advice="check the scale of the loss, then raise max_grad_norm",
            severity="notice",
            causes=("clip threshold too small for this model",),
        )


def _cut(patient: Patient, norm: Series, clip: float, ratio: float) -> Hit | None:
    if share_at(norm.values, clip, tolerance=ROUNDING * clip) > AT_THE_CLIP:
        return None
    stretch = lasting(sustained_above(norm.values, ratio * clip), len(norm))
    if stretch is None or stretch.beyond < MIN_SHARE * len(norm):
        return None
    middle = float(np.median(norm.values[stretch.first : stretch.last + 1]))
    heavy = middle >= HEAVY * ratio * clip
    crushed = clip < TINY and middle >= CRUSHED * clip
    severity: Severity = "warning" if crushed or (heavy and is_sick(patient)) else "notice"
    if suffers(patient):
        severity = "warning"
    when = "always clipped" if stretch.first == 0 else "clipped"
    since = "" if stretch.first == 0 else f" since step {int(norm.steps[stretch.first]):,}"
    return Hit(
        series=norm.name,
        span=stretch.span(norm),
        message=f"gradients are {when}{since}: median norm {number(middle, 3)}, cut to {clip:g}"
        f"{so_far(patient)}",
        advice="check the scale of the loss and of rewards, then raise max_grad_norm "
        f"(this run: {clip:g})",
        severity=severity,
        causes=(
            "clip threshold too small for this model",
            "loss summed instead of averaged",
            "rewards or values too large",
        ),
        limit=Limit(clip, f"this run's max_grad_norm {clip:g}", from_run=True),
    )
