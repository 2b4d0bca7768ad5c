from runvitals.rules.kit import Hit, Patient, number, rule, stretch
from runvitals.signals.late import early_median, late_median

RANDOM = 0.9  # of the actions (judgement)
NEXT_TO_NONE = 0.05  # of the actions: an end value, and no start (judgement)
TOO_SOON = 0.01  # share of the steps; a tenth of what is usual
RISE = 0.1  # judgement


@rule("ENT005", needs=["explore/epsilon"], families=["off-policy"], min_points=20)
def exploration_schedule_broken(patient: Patient) -> Hit | None:
    """The exploration schedule (epsilon) does not make sense.

    ## What it looks for
    `explore/epsilon`, the share of random actions, that does one of these while the outcome is not
    doing well:

    - it stays at 0.9 or above for the whole run;
    - it is never above 0.05 after the first 1% of the run, and the outcome ends no better than it
      began;
    - it rises by more than 0.1.

    ## Why it matters
    With too much randomness, what was learned is never used. With too little, nothing new is found.

    ## Usual causes
    1. A schedule that counts episodes instead of steps, or the reverse.
    2. Missing exploration.
    3. A decay that is off by a factor.

    ## What to try
    Plot epsilon against environment steps. Let it fall over the first 10 to 20% of them.

    ## When to ignore it
    The agent explores in another way, such as with noisy networks, or a resumed run starts low.

    ## Sources
    RLExplorer's exploration check; Training Metrics and Telemetry (explore early).
    """
    epsilon = patient["explore/epsilon"]
    if not patient.health.struggles:
        return None
    values, steps = epsilon.values, epsilon.steps
    soon = TOO_SOON * (patient.planned_steps or patient.last_step)
    early, late = early_median(values), late_median(values)
    begun = steps[0] <= soon and steps[-1] > soon
    if float(values.min()) >= RANDOM:
        said = f"epsilon is never below {values.min():g}: actions stay random"
        cause = "a schedule that hardly moves"
    elif begun and patient.health.gets_nowhere and values[steps > soon].max() <= NEXT_TO_NONE:
        said = f"epsilon is at most {values[steps > soon].max():g} after {TOO_SOON:.0%} of the run"
        cause = "missing exploration, or a decay that is off by a factor"
    elif late - early > RISE:
        said = f"epsilon rises from {number(early, 2)} to {number(late, 2)}"
        cause = "a schedule that runs backwards"
    else:
        return None
    return stretch(epsilon).hit(
        said,
        advice="start with an epsilon near 1 and let it fall over the first 10 to 20% of the steps",
        causes=(cause, "a schedule based on the wrong counter"),
    )
