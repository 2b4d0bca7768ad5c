import re

from runvitals.rules.data import any_series
from runvitals.rules.kit import Hit, Patient, Severity, Span, counted, rule

MIN_POINTS = 20
RL = ("on-policy", "off-policy", "llm-rl")
OUTCOMES = ("outcome/", "reward/", "eval/", "preference/", "rm/", "distill/", "curriculum/")
# names nobody knows that may well be the outcome
LIKE_OUTCOME = re.compile(
    r"rew|retur|score|succ|win|acc|elo|solv|goal|(^|[/_.])(r|ret|ep|eval|test|val)([/_.]|$)|pass|perf"
    r"|episod|metric|cost|profit|makespan|latency",
    re.I,
)
SPEED = ("throughput/", "time/")
HEALTH = {
    "on-policy": ("policy/entropy", "policy/approx_kl|policy/kl_old", "value/loss"),
    "off-policy": ("value/loss",),
    "llm-rl": ("policy/entropy", "policy/kl_ref|policy/approx_kl|policy/kl_old"),
}
SUCCESS = ("success_rate", "win_rate", "score_mean", "elo", "mean_at_n", "pass_at_k")


@rule("DATA002", severity="notice")
def dashboard_incomplete(patient: Patient) -> Hit | None:
    """The log lacks metrics that are needed to judge the run.

    ## What it looks for
    Three kinds of metrics: how well the task is done, whether updates are healthy, and how fast
    training runs.

    - Warning: a reinforcement learning run with at least 20 points logs no return, reward, score or
      success, nor any name that could be one. There is no way to tell whether it learns.
    - Notice: anything else is missing. This includes logs that contain only the optimised reward
      and nothing independent of it.

    ## Why it matters
    In reinforcement learning a falling loss says nothing, and a rising reward can be the wrong
    reward.

    ## Usual causes
    1. An option of the framework is off: a Monitor wrapper, entropy, log-probs.
    2. Evaluation was left out to save time.

    ## What to try
    Log the episode return, success and a held-out score. Wrap the environment in a Monitor.

    ## When to ignore it
    The run is a speed test, or a loss on fixed data, which is its own outcome.

    ## Sources
    Training Metrics and Telemetry (a minimum dashboard); Training Metrics Glossary (what to watch).
    """
    run, name = patient.run, any_series(patient)
    if not name or patient.kind not in RL:
        return None
    steps, _, _ = run.points.column(name)
    if len(steps) < MIN_POINTS or patient.until is not None:
        return None
    metrics = run.metrics()
    missing = _missing(patient)
    severity: Severity = "notice"
    advice = "log the episode return, success and a held-out score (a Monitor wrapper does this)"
    blind = patient.outcome is None and not any(m.startswith(OUTCOMES) for m in metrics)
    if blind and not any(_may_be_outcome(run.bindings, original) for original in run.names()):
        severity = "warning"
        message = f"no return, reward or score among {len(run)} series: learning cannot be judged"
    elif blind:
        message = "no known outcome metric; use --map to say which series is the return or score"
    elif not any(m.endswith(SUCCESS) or m.startswith("eval/") for m in metrics):
        message = "the optimised reward is the only outcome logged (0 metrics independent of it)"
    elif missing:
        message = missing
        advice = "log these too, so that the rules that need them can run"
    else:
        return None
    return Hit(
        series=name,
        span=Span(int(steps[0]), int(steps[-1]), len(steps)),
        message=message,
        advice=advice,
        severity=severity,
        causes=("an option of the framework is off", "evaluation was left out"),
    )


def _missing(patient: Patient) -> str:
    """Says which usual metrics of this kind of training were not logged; empty if all were."""
    wanted = (names.split("|") for names in HEALTH[patient.kind])
    missing = [names[0] for names in wanted if patient.find(*names) is None]
    timed = any(metric.startswith(SPEED) for metric in patient.run.metrics())
    if not timed:
        missing.append("speed (steps per second)")
    verb = "is" if len(missing) == 1 else "are"
    usual = counted(len(missing), "usual metric")
    return f"{usual} {verb} not logged: {', '.join(missing)}" if missing else ""


def _may_be_outcome(bindings: object, name: str) -> bool:
    known = isinstance(bindings, dict) and name in bindings
    return not known and LIKE_OUTCOME.search(name) is not None
