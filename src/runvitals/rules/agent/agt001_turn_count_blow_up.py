from runvitals.rules.kit import Detection, Hit, Patient, above, number, rose, rule
from runvitals.rules.length import lost

MIN_TURNS = 4  # of the longest rollout: below that all take the same few by nature
ALL = 0.97  # of the most turns: then nearly every rollout is as long as the longest


@rule(
    "AGT001",
    needs=["agent/turns_max|agent/turns_mean|agent/turn_limit_rate"],
    min_points=12,
    excused_by_outcome=True,
)
def turn_count_blow_up(patient: Patient, *, limit: float = 2.0) -> Hit | None:
    """Rollouts take more and more turns, or all run into the turn limit.

    ## What it looks for
    - More than half of the rollouts hit the turn limit (`agent/turn_limit_rate`), or the mean number
      of turns is as high as the maximum, up to the end.
    - The longest rollout takes twice as many turns as at the start (`limit`).

    These are warnings if the outcome is not doing well, otherwise notices.

    ## Why it matters
    An agent that repeats itself burns time and tokens and earns nothing for it.

    ## Usual causes
    1. A tool fails and is called again and again.
    2. The agent goes back and forth between two states.
    3. Turns are rewarded.
    4. The stop condition was lost.

    ## What to try
    Read the longest rollout. Cap retries and penalise repeats.

    ## When to ignore it
    The task needs more turns as the agent gets further.

    ## Sources
    Training Metrics Glossary (number of turns).
    """
    stopped = lost(patient, "agent/turn_limit_rate")
    mean, most = patient.find("agent/turns_mean"), patient.find("agent/turns_max")
    top = 0.0 if most is None else float(most.values.max())
    found: Detection | None
    if stopped is not None:
        found, message = stopped, f"{stopped.level:.0%} of the rollouts hit the turn limit"
    elif mean and top >= MIN_TURNS and (found := above(mean, ALL * top, to_end=True)):
        message = f"nearly every rollout uses all {top:g} turns"
    elif most and top >= MIN_TURNS and (found := rose(most, limit)):
        turns = f"from {number(found.before, 3)} to {number(found.level, 3)}"
        message = f"turns of the longest rollout went {turns}"
    else:
        return None
    return found.hit(
        message,
        advice="read the longest rollout; cap retries and penalise repeats",
        causes=("a failing tool is retried", "loop between two states", "stop condition lost"),
    )
