from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from runvitals import catalog
from runvitals.rules.kit import Hit, Patient, Series, Span, number, rule
from runvitals.rules.learning_rate.used import lower_first, rate_hint, suspect
from runvitals.rules.numbers import CERTAIN, MAX_NAMES, MIN_CERTAIN, MIN_TAIL, never_or_no_longer
from runvitals.rules.outcome.roles import LEARNED_BY_TRYING_PREFIXES, ROLES

VITAL = frozenset(
    {
        "policy/approx_kl", "policy/entropy", "policy/kl_ref", "policy/kl_ref_sequence",
        "policy/ratio_mean", "value/mean", "value/q_mean",
    }
)  # fmt: skip
LOSSES = frozenset(  # an error is one, too
    role.metric for role in ROLES if role.kind == "loss" and not role.held_out
)
HELD_OUT_LOSSES = tuple(role.metric for role in ROLES if role.kind == "loss" and role.held_out)
# logged with each update and always numbers: NaN there means that the row is padded
SETTINGS = (
    "optim/learning_rate", "policy/learning_rate", "policy/clip_range", "policy/kl_coef",
    "policy/entropy_coef",
)  # fmt: skip
MAX_ISOLATED = 0.2  # share of points above which gaps are the way of logging (judgement)


class Ill(NamedTuple):
    """A series with values that are not numbers."""

    metric: str
    series: Series
    bad: np.ndarray
    tail: int  # points at its end
    gap: int  # the most in a row before
    never: bool  # it never had a number

    @property
    def is_norm(self) -> bool:
        """Whether it is a gradient norm."""
        return self.metric.endswith("grad_norm")

    @property
    def since(self) -> int:
        """The step from which on it is not a number, up to its end."""
        return int(self.series.steps[-self.tail])

    @property
    def dead(self) -> bool:
        """Whether the end of it is not a matter of gaps."""
        return self.tail > 2 * self.gap


@rule("NUM001", severity="critical", verdict="diverged", fact=True)
def non_finite_metric(patient: Patient) -> Iterator[Hit | None]:
    """A loss or another vital number became NaN or infinite and stayed so.

    ## What it looks for
    Losses and errors, gradient norms, KL, entropy and values that are NaN or infinite at the end of
    the log: for three points of one series, or ten points of a gradient norm alone. Fewer are
    enough if two series show it at once or the run crashed.

    These are not alarms:

    - rows padded with NaN
    - series that are NaN until training starts
    - single infinite gradient norms from which the run recovered (a notice)

    If no known tool explains the names, series that mention a loss, an entropy or a KL count if all
    of them end this way.

    Series with any other name count if they never had a number, or had some and then none for at
    least their last ten points. That is a warning if the metric is unknown, the outcome for three
    tenths of its points, or a loss that was not a number at any of at least 20 points (2 of a
    held-out loss). It is a notice if the metric may be undefined, or if another series begins at that
    point, because then a phase of training was over. Gaps that come and go do not count.

    The finding says which series came first, and what had grown tenfold before it.

    ## Why it matters
    Once a weight is NaN, every later number is NaN. The run is over, even if it keeps running.

    ## Usual causes
    1. An update exploded, if the loss or gradient norm had grown before: learning rate too high, no
       clipping.
    2. Bad input or label, if it happens in the first updates without such growth.
    3. Overflow in fp16.
    4. A logarithm or a division at zero in a custom reward or loss.

    ## What to try
    Resume from the last checkpoint with finite numbers, not simply from the last one. Lower the
    peak learning rate or clip gradients. Run the failing batch with anomaly detection. Use bf16
    instead of fp16.

    ## When to ignore it
    Single infinite gradient norms with a loss scaler: the scaler skips those updates.

    ## Sources
    RL metrics table and Training Metrics Glossary (no NaN); SB3's guide on NaN; PyTorch's loss scaler.
    """
    vital = [metric for metric in patient.run.metrics() if _vital(metric)]
    ill = [found for metric in vital if (found := _look(patient, metric))]
    if not vital:
        ill = _all_gone(patient, _unexplained(patient))
    dead = [one for one in ill if one.dead and not one.never and not _padded(patient, one)]
    never = [one for one in ill if one.never and len(one.series) >= CERTAIN]
    if dead and _is_certain(patient, dead):
        yield _gone(patient, dead)
    elif never and _from_the_start(patient, never):
        yield _gone(patient, never)
    else:
        yield _isolated(ill)
        yield from _others(patient, ill, never)


def _others(patient: Patient, ill: list[Ill], never: list[Ill]) -> Iterator[Hit]:
    """Hits on all other series: those that are not vital, and those that never had a number."""
    waits = patient.kind != "unknown" and patient.is_any_of(["off-policy"])
    told = {one.series.name for one in ill if waits or not one.never}
    others = [name for name in patient.run.names()[:MAX_NAMES] if name not in told]
    losses = [one.series.name for one in never if len(one.series) >= MIN_CERTAIN]
    losses += [
        series.name
        for metric in HELD_OUT_LOSSES
        if (series := patient.raw(metric)) is not None and not np.isfinite(series.values).any()
    ]
    sides = (patient.training, patient.held_out)
    outcomes = frozenset(one.series.name for one in sides if one is not None)
    alarming = frozenset([*losses, *_unexplained(patient)])
    yield from never_or_no_longer(patient, others, alarming, outcomes)


def _vital(metric: str) -> bool:
    ending = metric.rpartition("/")[2]
    return not metric.startswith("eval/") and (
        metric in VITAL or metric in LOSSES or ending in ("loss", "loss_total", "grad_norm")
    )


def _look(patient: Patient, metric: str) -> Ill | None:
    series = patient.raw(metric)
    if series is None or not len(series):
        return None
    bad = ~np.isfinite(series.values)
    if not bad.any():
        return None
    good = np.flatnonzero(~bad)
    if not len(good):
        return Ill(metric, series, bad, len(bad), 0, never=True)
    gap = int(np.diff(good).max()) - 1 if len(good) > 1 else 0
    return Ill(metric, series, bad, len(bad) - 1 - int(good[-1]), gap, never=False)


def _unexplained(patient: Patient) -> list[str]:
    """Names without a meaning that mention a loss or another number that each update has."""
    run = patient.run
    names = [name for name in run.names()[:MAX_NAMES] if name not in run.bindings]
    return [name for name in names if catalog.speaks_of(name) in ("loss", "update")]


def _all_gone(patient: Patient, names: list[str]) -> list[Ill]:
    """Names that only their words explain tell something if not one of them is a number at the end."""
    found = [_look(patient, name) for name in names]
    ill = [one for one in found if one is not None and one.tail]
    return ill if len(ill) == len(names) else []


def _padded(patient: Patient, one: Ill) -> bool:
    """Whether even settings have no value in these rows."""
    if one.tail >= CERTAIN and one.gap == 0 and not one.is_norm:
        return False
    steps = one.series.steps[-one.tail :]
    for metric in SETTINGS:
        series = patient.raw(metric)
        if series is not None:
            here = series.values[np.isin(series.steps, steps)]
            if len(here):
                return not np.isfinite(here).any()
    return False


def _is_certain(patient: Patient, dead: list[Ill]) -> bool:
    if len(dead) >= 2 or patient.run.status in ("failed", "crashed", "killed"):
        return True
    return dead[0].tail >= (MIN_TAIL if dead[0].is_norm else CERTAIN)


def _from_the_start(patient: Patient, never: list[Ill]) -> bool:
    """Whether the run was never alive; off-policy learners log NaN until they start to learn."""
    plays = patient.kind != "unknown" or any(
        m.startswith(LEARNED_BY_TRYING_PREFIXES) for m in patient.run.metrics()
    )
    if patient.is_any_of(["off-policy"]) and plays:
        return False
    numbers = [
        metric for metric in patient.run.metrics() if _vital(metric) and patient.find(metric)
    ]
    return len(never) >= 2 or not numbers


def _gone(patient: Patient, dead: list[Ill]) -> Hit:
    ordered = sorted(dead, key=lambda one: (one.since, one.is_norm))
    first, others = ordered[0], ordered[1:]
    kind = "NaN" if np.isnan(first.series.values[-1]) else "infinite"
    early = len(first.bad) - first.tail <= CERTAIN
    vital = [metric for metric in patient.run.metrics() if _vital(metric)]
    grown = growth_before(patient, vital or [one.metric for one in dead], first.since)
    message = (
        f"{first.series.name} is {kind} from step {first.since:,} to the end "
        f"({first.tail:,} value{'' if first.tail == 1 else 's'})"
        + _followed(first, others)
        + (f"; {grown.words} before" if grown else "")
    )
    return Hit(
        series=first.series.name,
        span=Span(first.since, int(first.series.steps[-1]), first.tail),
        message=message,
        advice=advice_for(patient, first.since, grown, early=early),
        causes=causes_of(patient, grown, early=early),
        also=tuple(one.series.name for one in others)
        + (
            (grown.series.name,)
            if grown and all(grown.series.name != o.series.name for o in dead)
            else ()
        ),
    )


def _followed(first: Ill, others: list[Ill]) -> str:
    if not others:
        return ""
    if others[0].since > first.since:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        return f", then {others[0].series.name}{more} from step {others[0].since:,}"
    return f"; the same goes for {len(others)} other series"


def _isolated(ill: list[Ill]) -> Hit | None:
    """Values that were not numbers, from which the run came back."""
    found = []
    for one in ill:
        if one.never:
            continue
        good = np.flatnonzero(~one.bad)
        between = np.flatnonzero(one.bad[good[0] : good[-1]]) + good[0]
        if len(between) and len(between) <= MAX_ISOLATED * len(one.bad):
            found.append((len(between), one, between))
    if not found:
        return None
    count, one, at = max(found, key=lambda entry: entry[0])
    return Hit(
        series=one.series.name,
        span=Span(int(one.series.steps[at[0]]), int(one.series.steps[at[-1]]), count),
        message=(
            f"{one.series.name} is NaN or infinite at {count:,} of {len(one.bad):,} points, "
            "and recovers each time"
        ),
        advice="ignore it if a loss scaler skips these updates; otherwise look at those batches",
        severity="notice",
        causes=("a loss scaler looking for its scale", "single odd batches"),
    )


# times its usual size: noise of a loss or a gradient norm seldom does as much (GRAD001)
GREW = 10.0
RECENT = 3  # points right before (judgement)
OVERFLOW = "overflow in fp16"


class Growth(NamedTuple):
    """A series that grew out of all proportion, from which size to which."""

    series: Series
    usual: float
    peak: float

    @property
    def words(self) -> str:
        """What grew, from what to what."""
        return f"{self.series.name} grew from {number(self.usual, 2)} to {number(self.peak, 2)}"


def growth_before(patient: Patient, metrics: Iterable[str], step: int) -> Growth | None:
    """The series that had grown most, of those that had grown at all, right before a step."""
    found = []
    for metric in metrics:
        series = patient.find(metric)
        if series is None:
            continue
        before = series.part(0, int(np.searchsorted(series.steps, step)))
        if (grown := _grown(before)) is not None:
            found.append(grown)
    return max(found, key=lambda one: one.peak / one.usual, default=None)


def _grown(series: Series) -> Growth | None:
    sizes = np.abs(series.values)
    if len(sizes) < 2:
        return None
    recent = min(RECENT, len(sizes) - 1)
    usual, peak = float(np.median(sizes[:-recent])), float(sizes[-recent:].max())
    return Growth(series, usual, peak) if peak > GREW * usual > 0 else None


def advice_for(patient: Patient, step: int, grown: Growth | None, *, early: bool) -> str:
    """What to do about it, by what the run shows."""
    if grown is not None:
        clip = patient.number("max_grad_norm")
        gradients = "clip gradients" if not clip else f"clip gradients below {clip:g}"
        usual = f"lower the learning rate{rate_hint(patient)}, or {gradients}: {grown.words} before"
        return lower_first(patient, usual)
    if early:
        look = "check the very first batch for NaN in inputs and labels"
        return lower_first(patient, look)
    return lower_first(
        patient,
        f"resume from a checkpoint before step {step:,}, and run that batch with anomaly detection",
    )


def causes_of(patient: Patient, grown: Growth | None, *, early: bool) -> tuple[str, ...]:
    """The likeliest first, by what the run shows."""
    rate = suspect(patient)
    exploded = rate or "learning rate too high"
    if grown is not None:
        causes = [exploded, "gradients not clipped"]
    elif early:
        causes = ["bad input or label", exploded, "a division or logarithm at zero"]
    else:
        causes = ["a single bad batch", "a division or logarithm at zero", exploded]
    if rate is not None:
        causes.sort(key=lambda cause: cause != rate)
    precision = patient.setting("precision")
    if "16" in str(precision) and "b" not in str(precision):
        return (OVERFLOW, *causes)
    return tuple(causes) if precision is not None else (*causes, OVERFLOW)
