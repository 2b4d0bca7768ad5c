"""LEN004."""

from collections.abc import Iterator

from runvitals.model import Hit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import lasting, sustained_above
from runvitals.signals.late import TENTH
from runvitals.signals.rates import as_rate, is_share
from runvitals.signals.trend import trend

MIN_POINTS = 12  # judgement
DEFAULT_LIMIT = 0.05  # of the rollouts (prime-rl)
SOME, MANY, THIRD, MOST = 0.1, 0.2, 1 / 3, 0.5  # of the rollouts (judgement)


@rule(
    "LEN004",
    "rollouts-failing",
    severity="warning",
    needs=["length/aborted_ratio|agent/error_rate|agent/tool_failure_rate"],
    families=["llm-rl"],
)
def rollouts_failing(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """Rollouts come back empty or broken and count as bad answers.

    ## What it looks for
    `length/aborted_ratio` or `agent/error_rate` above 5% in 8 of 10 steps:

    - Warning: at least 20%, or 10% if the outcome is not improving.
    - Critical: at least 50%, if the outcome is not improving.
    - Notice: less than that, or less than a third if the run ends near the most it can reach.

    `agent/tool_failure_rate` of at least 20% that does not fall while the outcome is not
    improving, or of at least 50% that does not fall, unless the run ends near the most it can
    reach. These are warnings.

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
    bound = patient.limit(limit, otherwise=DEFAULT_LIMIT, why="usual for rollouts")
    found: list[tuple[float, Hit]] = []
    for metric, what in (
        ("length/aborted_ratio", "rollouts come back empty or aborted"),
        ("agent/error_rate", "rollouts end in an error"),
        ("agent/tool_failure_rate", "tool calls fail"),
    ):
        series = patient.find(metric)
        if series is None or len(series) < MIN_POINTS or not is_share(series.values):
            continue
        tools = metric == "agent/tool_failure_rate"
        line = max(bound.value, MANY) if tools and limit is None else bound.value
        above = sustained_above(as_rate(series.values), line)
        stretch = lasting(above, len(series), share=TENTH)
        if stretch is None:
            continue
        late = float(series.values[stretch.first : stretch.last + 1].mean())
        falls = trend(series.values).down
        hit = Hit(
            series=series.name,
            span=stretch.span(series),
            message=f"{late:.0%} of {what}",
            advice="read the log of the sampling engine or tool; leave failures out of the mean reward",
            severity=_of_tools(patient, late, falls=falls)
            if tools
            else _severity(patient, late, falls=falls),
            causes=("engine errors or timeouts", "tool or sandbox down", "context overflow"),
            limit=bound,
        )
        found.append((late, hit))
    if found:
        yield max(found, key=lambda pair: (pair[1].severity != "notice", pair[0]))[1]


def _severity(patient: Patient, late: float, *, falls: bool) -> Severity:
    if late >= MOST and not patient.health.good:
        return "critical"
    if late >= MANY:
        return "notice" if patient.health.solved and late < THIRD else "warning"
    return "warning" if patient.health.struggles and not falls and late >= SOME else "notice"


def _of_tools(patient: Patient, late: float, *, falls: bool) -> Severity:
    if falls or patient.health.solved:
        return "notice"
    return "warning" if patient.health.struggles or late >= MOST else "notice"
