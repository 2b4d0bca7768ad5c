"""TEMP003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.temperature._controller import is_controlled, outside_pulses, pressure
from runvitals.signals.crossing import sustained_below
from runvitals.signals.pairs import aligned, rank_correlation
from runvitals.signals.robust import spread

MIN_POINTS = 20  # judgement
COLD, VERY_COLD = 0.3, 0.1  # times the base temperature (judgement)
MIN_SHARE = 0.2  # of the run (judgement)
MIN_TEMPERATURE = 0.5  # Training Monitoring Guide, where the run does not set it
AT_BOUND = 1.1  # times the lower bound: next to it (judgement)
SPIKE = 1.5  # times the usual pressure or latency (judgement)
MIN_SPIKES, MAX_SPIKES = 5, 0.5  # points, and the share of the run: more are not spikes
TYPICAL_QUANTILE = 0.3  # quantile: spikes do not move it
COOLED = 0.85  # of the temperature at other times (judgement)
CLEAR = 3.0  # standard errors
FALLEN = 0.5  # what is left of the entropy (judgement)
NEARLY_ALWAYS = 0.95  # of the run: then it follows nothing (judgement)
FOLLOWS = -0.6  # rank correlation with the pressure (judgement)


@rule(
    "TEMP003",
    "temperature-suppresses-exploration",
    severity="warning",
    needs=["policy/temperature"],
)
def temperature_suppresses_exploration(patient: Patient) -> Iterator[Hit]:
    """The temperature controller cools the policy so far that it no longer explores.

    ## What it looks for
    Only policies with a temperature controller, and either of these:

    - Outside of pulses, the temperature is next to its lower bound (`min_temperature`, 0.5 if not
      set) or below 0.3 of its base for a fifth of the run, while the entropy is at most half of its
      highest value, or below `entropy_min`.
    - Latency, or the pressure it causes, spikes to 1.5 times its usual level at five or more
      points, and the temperature is 15% lower there than at other times.

    A warning if the outcome is not doing well, otherwise a notice. A temperature below a tenth of
    its base is always a warning.

    ## Why it matters
    Here, entropy does not fall because the policy has learned what to do, but because it is not
    allowed to try anything else. What it misses stays missed.

    ## Usual causes
    1. Pressure counts too much: `qps_sensitivity`.
    2. The lower bound is too low.
    3. The system really is overloaded.

    ## What to try
    Lower `qps_sensitivity` or raise `min_temperature`. If latency rose first, fix that.

    ## When to ignore it
    A policy that is meant to be greedy under load.

    ## Sources
    Training Monitoring Guide (entropy collapse with a low temperature; latency spikes beside
    temperature suppression).
    """
    if not is_controlled(patient):
        return
    calm = outside_pulses(patient, patient["policy/temperature"])
    if len(calm) < MIN_POINTS:
        return
    hit = _cold(patient, calm) or _latency(patient, calm)
    if hit is not None:
        yield hit


def _cold(patient: Patient, calm: Series) -> Hit | None:
    """Cold for long, and the entropy gone with it."""
    entropy = patient.find("policy/entropy")
    if entropy is None or len(entropy) < MIN_POINTS:
        return None
    base = patient.find("policy/temperature_base")
    usual = float(np.median(base.values)) if base is not None else float(calm.values.max())
    bound = patient.number("min_temperature")
    bound = MIN_TEMPERATURE if bound is None else bound
    found = [
        one
        for one in sustained_below(calm.values, max(COLD * usual, AT_BOUND * bound))
        if one.beyond >= MIN_SHARE * len(calm)
    ]
    if not found:
        return None
    longest = max(found, key=lambda one: one.beyond)
    middle = float(np.median(calm.values[longest.first : longest.last + 1]))
    start, end = int(calm.steps[longest.first]), int(calm.steps[longest.last])
    during = entropy.values[(entropy.steps >= start) & (entropy.steps <= end)]
    left = float(np.median(during)) / max(float(entropy.values.max()), 1e-9) if len(during) else 1.0
    frozen = middle < VERY_COLD * usual
    floor = patient.number("entropy_min")
    fallen = left <= FALLEN or (floor is not None and float(np.median(during)) < floor)
    if not frozen and not fallen:
        return None
    follows = _follows_pressure(patient, longest.beyond / len(calm))
    return Hit(
        series=calm.name,
        span=longest.span(calm),
        message=f"temperature is {middle:.3g} at {longest.beyond:,} points (base {usual:.3g}), and "
        f"entropy is at {left:.0%} of its highest{follows}{so_far(patient)}",
        advice=_advice(patient),
        severity=by_outcome(patient, beyond_excuse=frozen),
        causes=("pressure counts too much", "the lower bound is too low", "real overload"),
        also=(entropy.name,),
    )


def _advice(patient: Patient) -> str:
    now = {key: patient.setting(key) for key in ("qps_sensitivity", "min_temperature")}
    told = {key: "" if value is None else f" (now {value})" for key, value in now.items()}
    return (
        f"lower qps_sensitivity{told['qps_sensitivity']} or raise min_temperature"
        f"{told['min_temperature']}"
    )


def _latency(patient: Patient, calm: Series) -> Hit | None:
    """Latency spikes, and the policy is cooled while they last."""
    for load in _loads(patient):
        steps, heat, weight = aligned(calm, load)
        if len(steps) < MIN_POINTS:
            continue
        usual = float(np.quantile(weight, TYPICAL_QUANTILE))
        spiking = weight > SPIKE * usual
        count = int(spiking.sum())
        if usual <= 0 or count < MIN_SPIKES or count > MAX_SPIKES * len(steps):
            continue
        hot, cooled = float(np.median(heat[~spiking])), float(np.median(heat[spiking]))
        error = spread(heat[spiking]) / np.sqrt(count)
        if cooled > COOLED * hot or hot - cooled < CLEAR * error:
            continue
        first, last = (int(at) for at in np.flatnonzero(spiking)[[0, -1]])
        return Hit(
            series=calm.name,
            span=Span(int(steps[first]), int(steps[last]), last - first + 1),
            message=f"latency spikes suppress the temperature: {cooled:.3g} at the {count:,} points "
            f"where {load.name} is high, otherwise {hot:.3g}{so_far(patient)}",
            advice=f"fix the latency first, then {_advice(patient)}",
            severity=by_outcome(patient),
            causes=("real overload", "pressure counts too much"),
            also=(load.name,),
        )
    return None


def _loads(patient: Patient) -> Iterator[Series]:
    """What shows latency: the pressure it makes, else the latency itself."""
    if (load := pressure(patient, "latency")) is not None:
        yield load
    yield from (one for one in patient.all("env/metric") if "latency" in one.name.lower())


def _follows_pressure(patient: Patient, share: float) -> str:
    load = pressure(patient)
    if load is None or share > NEARLY_ALWAYS:
        return ""
    _, heat, weight = aligned(patient["policy/temperature"], load)
    return "; it follows the pressure" if rank_correlation(heat, weight) < FOLLOWS else ""
