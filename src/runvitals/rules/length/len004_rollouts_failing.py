from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.length import inexcusable, lost

FAILURES = {
    "length/aborted_ratio": "rollouts come back empty or aborted",
    "agent/error_rate": "rollouts end in an error",
    "agent/tool_failure_rate": "tool calls fail",
}


@rule("LEN004", needs=["|".join(FAILURES)], min_points=12, excused_by_outcome=True)
def rollouts_failing(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """Rollouts come back empty or broken and count as bad answers.

    ## What it looks for
    The level of `length/aborted_ratio` or `agent/error_rate` is above 5%, or that of
    `agent/tool_failure_rate` above 20%, for a fifth of the run and at its end. It is a warning if the
    outcome is not doing well, or if at least half of them fail; otherwise it is a notice.

    ## Why it matters
    Failed rollouts pull the mean reward down, and the policy is punished for something it did not
    do.

    ## Usual causes
    1. Errors, timeouts or preemption in the sampling engine.
    2. A sandbox or tool that is down.
    3. Context overflow.
    4. A server that is out of memory.

    ## What to try
    Leave failed rollouts out of the mean reward before you read it. Look at the engine's log.
    Retry.

    ## When to ignore it
    The policy is still learning how to call its tools.

    ## Sources
    Training Metrics Glossary (aborted ratio); prime-rl (errors above 5%); TRL's tool failure
    rate.
    """
    found = [(lost(patient, metric, limit), what) for metric, what in FAILURES.items()]
    worst, what = max(found, key=lambda one: 0.0 if one[0] is None else one[0].level)
    return worst and worst.hit(
        f"{worst.level:.0%} of {what}",
        advice="read the log of the sampling engine or tool; leave failures out of the mean reward",
        causes=("engine errors or timeouts", "tool or sandbox down", "context overflow"),
        beyond_excuse=inexcusable(worst),
    )
