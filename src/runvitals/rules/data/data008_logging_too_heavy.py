import numpy as np

from runvitals.rules.kit import Hit, Patient, Span, rule

MIN_POINTS = 10  # of a series that is logged all along


@rule("DATA008")
def logging_too_heavy(patient: Patient, *, scalars: int = 2_000) -> Hit | None:
    """Thousands of numbers are logged at every step.

    ## What it looks for
    More than 2,000 series (`scalars`) with ten points or more. What that costs is for PERF001 and
    PERF003 to say.

    ## Why it matters
    Every number has to be converted, written, read and drawn. Per-layer numbers are rarely looked
    at, and a dashboard of thousands of curves never is.

    ## Usual causes
    1. A debugging switch was left on.
    2. Statistics are logged for every layer or every environment at every step.

    ## What to try
    Log a histogram or a few quantiles instead of single numbers, or log only every hundredth step.

    ## When to ignore it
    The run is short and meant for debugging.

    ## Sources
    Training Metrics and Telemetry (logging as a cause of slow steps).
    """
    run = patient.run
    names = run.names()
    if len(names) <= scalars:
        return None
    heavy = [name for name in names if len(run.points.column(name)[0]) >= MIN_POINTS]
    if len(heavy) <= scalars:
        return None
    firsts = np.array([int(run.points.column(name)[0][0]) for name in heavy])
    begin = int(np.median(firsts))
    shown = heavy[int(np.argmin(np.abs(firsts - begin)))]
    steps = run.points.column(shown)[0]
    return Hit(
        series=shown,
        span=Span(begin, int(steps[-1]), len(steps)),
        message=f"{len(heavy):,} numbers are logged per step",
        advice="log quantiles or histograms instead of single numbers, or log less often",
        causes=("a debugging switch was left on", "statistics for every layer"),
    )
