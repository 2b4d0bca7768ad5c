from dataclasses import replace

import numpy as np

from runvitals.rules.kit import Hit, Limit, Patient, Series, below, rule
from runvitals.rules.temperature import NEAR_BOUND, is_controlled, outside_pulses, pressure
from runvitals.signals.pairs import aligned

COLD = 0.3  # times the base temperature (judgement)
SPIKE, MIN_SPIKES = 1.5, 5  # times the usual pressure or latency, and points (judgement)
COOLED = 0.85  # of the temperature at other times (judgement)


@rule("TEMP003", needs=["policy/temperature"], excused_by_outcome=True, min_points=20)
def temperature_suppresses_exploration(patient: Patient) -> Hit | None:
    """The temperature controller cools the policy so far that it no longer explores.

    ## What it looks for
    Only policies with a temperature controller, and either of these:

    - Outside of pulses, the temperature is next to its lower bound (`min_temperature`) or below 0.3
      of its base for a fifth of the run, while the entropy is at most half of its highest value, or
      below `entropy_min`.
    - Latency, or the pressure it causes, spikes to 1.5 times its usual level at five or more
      points, and the temperature is 15% lower there than at other times.

    A warning if the outcome is not doing well, otherwise a notice.

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
    if is_controlled(patient):
        calm = outside_pulses(patient, patient["policy/temperature"])
        if hit := _cold(patient, calm) or _latency(patient, calm):
            return hit
    return None


def _cold(patient: Patient, calm: Series) -> Hit | None:
    """Cold for long, and the entropy gone with it."""
    entropy, base = patient.find("policy/entropy"), patient.find("policy/temperature_base")
    if entropy is None or not len(calm):
        return None
    usual = float(np.median(base.values)) if base is not None else float(calm.values.max())
    bound = patient.band("policy/temperature", "low")
    cold = max(COLD * usual, NEAR_BOUND * (0.0 if bound is None else bound.value))
    found = below(calm, Limit(cold, "next to its lower bound, or far below its base"))
    if found is None:
        return None
    during = (entropy.steps >= found.span.first) & (entropy.steps <= found.span.last)
    left = float(np.median(entropy.values[during])) if during.any() else np.inf
    floor = patient.number("entropy_min")
    most = float(entropy.values.max())
    if left > max(most / 2, 0.0 if floor is None else floor):
        return None
    return found.hit(
        f"temperature is {found.level:.3g} at {found.count:,} points (base {usual:.3g}), and entropy "
        f"is at {left / max(most, 1e-9):.0%} of its highest",
        advice=_advice(patient),
        causes=("pressure counts too much", "the lower bound is too low", "real overload"),
        also=(entropy.name,),
    )


def _advice(patient: Patient) -> str:
    now = {key: patient.setting(key) for key in ("qps_sensitivity", "min_temperature")}
    told = [key if value is None else f"{key} (now {value})" for key, value in now.items()]
    return f"lower {told[0]} or raise {told[1]}"


def _latency(patient: Patient, calm: Series) -> Hit | None:
    """Latency spikes, and the policy is cooled while they last."""
    loads = [one for one in patient.all("env/metric") if "latency" in one.name.lower()]
    for load in (pressure(patient, "latency"), *loads):
        if load is None:
            continue
        steps, heat, weight = aligned(calm, load)
        spiking = weight > SPIKE * np.median(weight) if len(weight) else np.zeros(0, bool)
        count = int(spiking.sum())
        if count < MIN_SPIKES:
            continue
        hot, cooled = float(np.median(heat[~spiking])), float(np.median(heat[spiking]))
        if cooled > COOLED * hot:
            continue
        first, last = (int(at) for at in np.flatnonzero(spiking)[[0, -1]])
        span = replace(calm, steps=steps.astype(np.int64)).span(first, last)
        return Hit(
            series=calm.name,
            span=span,
            message=f"latency spikes suppress the temperature: {cooled:.3g} at the {count:,} points "
            f"where {load.name} is high, otherwise {hot:.3g}",
            advice=f"fix the latency first, then {_advice(patient)}",
            causes=("real overload", "pressure counts too much"),
            also=(load.name,),
        )
    return None
