"""CLIP001."""

import math
from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.beyond_excuse import CLIP_FRACTION
from runvitals.rules.kl._limits import update_kl, update_limit
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.policy._updates import log_is_rounded
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far
from runvitals.signals.crossing import Stretch, lasting, sustained_above
from runvitals.signals.levels import levels

CONTROL, LANGUAGE = 0.3, 0.2  # Training Monitoring Guide (0.1 to 0.3); RL metrics table (below 0.2)
USUAL_RANGE = 0.2  # of the ratio, for which these limits hold (Schulman et al. 2017)
LOWEST, HIGHEST = 0.05, 0.6  # the limit for any other clip range (judgement)
GROSS = 0.5  # half of what was sampled teaches nothing (judgement)
TIGHT = 0.02  # a clip range below is itself what is wrong (0.1 to 0.3 are usual)
MIN_SHARE = 0.2  # of the run (judgement)
MIN_UPDATES = 30  # judgement
SURE = 2.0  # standard errors by which the level now has to lie above what nothing excuses
SMALL_KL = (
    0.005  # of an update that is not too large: healthy runs lie about there (measured on SB3)
)


@rule(
    "CLIP001",
    "clip-fraction-high",
    severity="warning",
    needs=["policy/clip_fraction"],
    families=["policy-gradient"],
)
def clip_fraction_high(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """A large part of each batch is clipped away, update after update.

    ## What it looks for
    `policy/clip_fraction` above the limit in 8 of 10 updates, for at least a fifth of the run. The
    limit is 0.3, or 0.2 for language models. It is scaled to the run's clip range unless that is
    0.2 or below 0.02.

    - Warning: the outcome is not doing well.
    - Critical: the outcome is not doing well, and the median is above 0.5 and above the limit.
    - Notice: the outcome improves or holds, or none was logged.

    Three cases are warnings even if the outcome is good:

    - You set the limit yourself.
    - The clip range is below 0.02 in a control task. Either the config says so, or many ratios are
      clipped although the KL is small.
    - The clip fraction is above 0.6 beyond measurement error up to the end of the run, and the
      update KL, if logged, is above its limit too.

    ## Why it matters
    A clipped sample teaches nothing. When most samples are clipped, a few decide the update, and
    the policy has already moved further than it should.

    ## Usual causes
    1. Learning rate too high.
    2. Too many epochs per batch.
    3. Clip range too small.
    4. Small, noisy batches.
    5. Stale rollouts.

    ## What to try
    Lower the learning rate or the number of epochs first. Then adjust the clip range. Lower it if
    the KL is high too: the updates are too large. Widen it if the KL is small.

    ## When to ignore it
    Many tuned runs with continuous actions learn well at 0.2 to 0.35.

    ## Sources
    Training Monitoring Guide (0.1 to 0.3); RL metrics table (below 0.2); Training Metrics
    and Telemetry; Training Metrics Glossary.
    """
    bound = _limit(patient, limit)
    width = patient.number("clip_range")
    narrow = limit is None and _is_narrow(patient, width)
    clipped = patient.after_warm_up(patient["policy/clip_fraction"])
    excusable = not bound.from_run and not narrow
    most = bound
    if excusable and (patient.health.good or patient.health.early):
        most = Limit(max(CLIP_FRACTION, bound.value), "too high even for a good outcome")
    stretch, excused = _longest(clipped, most), False
    if stretch is not None and excusable and not _for_certain(patient, clipped, stretch, most):
        stretch = None
    if stretch is None and patient.health.good:
        stretch, excused, most = _longest(clipped, bound), True, bound
    if stretch is None:
        return
    middle = float(np.median(clipped.values[stretch.first : stretch.last + 1]))
    severity: Severity = "warning"
    if patient.health.struggles and middle > max(GROSS, bound.value):
        severity = "critical"
    if excused or (patient.health.unknown and not bound.from_run):
        severity = "notice"
    tight = narrow or (width is not None and width < TIGHT)
    known = "" if width is None else f" (this run: {width:g})"
    yield Hit(
        series=clipped.name,
        span=stretch.span(clipped),
        message=(
            f"clip fraction above {number(most.value, 2)} in {stretch.beyond:,} updates "
            f"since step {int(clipped.steps[stretch.first]):,}, median {number(middle, 2)}"
            f"{so_far(patient) if excused else ''}"
        ),
        advice=(
            f"widen the clip range{known}; 0.1 to 0.3 is usual"
            if tight
            else f"lower the learning rate{rate_hint(patient)} or use fewer epochs per batch; then "
            f"{_which_way(patient)}{known}"
        ),
        severity=severity,
        causes=("clip range too small",) * tight
        + ("learning rate too high", "too many epochs per batch", "small, noisy batches"),
        limit=most,
    )


def _longest(clipped: Series, bound: Limit) -> Stretch | None:
    """The longest stretch above a limit, if it lasts for a fifth of the run."""
    stretches = sustained_above(clipped.values, bound.value)
    stretch = max(stretches, key=lambda one: one.beyond, default=None)
    return None if stretch is None or stretch.beyond < MIN_SHARE * len(clipped) else stretch


def _for_certain(patient: Patient, clipped: Series, stretch: Stretch, most: Limit) -> bool:
    """Whether the run's own evidence agrees that updates are too large, where the outcome is good.

    How many ratios are clipped is one sign of that, and how far they moved the policy is another.
    """
    if not patient.health.good:
        return True
    if lasting([stretch], len(clipped), share=MIN_SHARE) is None:
        return False
    now = levels(clipped.values).now
    if now.value - SURE * now.error <= most.value:
        return False
    kl = update_kl(patient)
    if kl is None:
        return True
    late = kl.values[kl.steps >= clipped.steps[stretch.first]]
    return not len(late) or float(np.median(np.abs(late))) > update_limit(patient, None).value


def _which_way(patient: Patient) -> str:
    """What to do with the clip range: a KL that is small shows that it is too narrow."""
    kl = update_kl(patient)
    if kl is not None and float(np.median(np.abs(kl.values))) < SMALL_KL:
        return "widen the clip range, since the KL is small"
    return "lower the clip range"


def _is_narrow(patient: Patient, width: float | None) -> bool:
    if patient.kind != "on-policy":
        return False
    return (width is not None and 0 < width < TIGHT) or _implied_range(patient) < TIGHT


def _implied_range(patient: Patient) -> float:
    """The widest clip range that fits to KL and clip fraction of the same updates.

    A ratio beyond the clip costs a KL of half the square of the clip, at least.
    """
    kl, clipped = patient.find("policy/approx_kl"), patient.find("policy/clip_fraction")
    if kl is None or clipped is None or len(kl) < MIN_UPDATES:
        return math.inf
    share, middle = float(np.median(clipped.values)), float(np.median(np.abs(kl.values)))
    if share < CONTROL or middle <= 0 or log_is_rounded(patient):
        return math.inf
    return math.sqrt(2.0 * middle / share)


def _limit(patient: Patient, option: float | None) -> Limit:
    usual = LANGUAGE if patient.kind == "llm-rl" else CONTROL
    width = patient.number("clip_range")
    if option is not None or width is None or width < TIGHT:
        return patient.limit(option, otherwise=usual, why="usual for clipped updates")
    scaled = float(np.clip(usual * USUAL_RANGE / width, LOWEST, HIGHEST))
    return Limit(scaled, f"usual for a clip range of {width:g}")
