import numpy as np

from runvitals.rules.kit import Hit, Patient, Run, Span, counted, rule

SHOWN = 3  # names in the message
MAX_NAMES = 20  # of one metric: this many are layers or parts, which no catalog can tell apart
SAME = 1e-3  # of the value: two tools round differently
OWN_SPACE = ("system/", "debug/", "_", "parameters/", "hparams/")


@rule("DATA006", severity="notice")
def unmapped_or_ambiguous_metric(patient: Patient) -> Hit | None:
    """Some names are not understood, or two names for the same metric have different values.

    ## What it looks for
    Names that the catalog does not know (system metrics aside), and pairs of names with the same
    meaning and labels whose values differ. Always a notice.

    ## Why it matters
    A metric that is not understood is not checked.

    ## Usual causes
    1. A custom metric.
    2. A framework that renamed a key.
    3. Two different quantities with similar names, such as the KL to the old policy and to the
       reference.

    ## What to try
    Run `runvitals names LOG` to list them with the closest known names. Use `--map NAME=METRIC` to
    say what they mean.

    ## When to ignore it
    No rule needs these numbers.

    ## Sources
    Training Metrics Glossary (the same metric under other names); TRL's two entropies and two KLs.
    """
    run = patient.run
    last = run.last_step
    if last is None or patient.until is not None:
        return None
    twins = _twins(run)
    unknown = [
        name
        for name in run.names()
        if name not in run.bindings and not name.lower().startswith(OWN_SPACE)
    ]
    if twins is not None:
        one, other, metric = twins
        return Hit(
            series=one,
            span=Span(last, last, 1),
            message=f"2 names for {metric} have different values: {one} and {other}",
            advice="choose one of them with --map NAME=METRIC",
            also=(other,),
        )
    elif unknown:
        names = ", ".join(unknown[:SHOWN]) + (", ..." if len(unknown) > SHOWN else "")
        return Hit(
            series=unknown[0],
            span=Span(last, last, 1),
            message=f"{len(unknown)} of {counted(len(run), 'name')} "
            f"{'was' if len(unknown) == 1 else 'were'} not understood: {names}",
            advice="list similar names with `runvitals names LOG`; map them with --map NAME=METRIC",
            also=tuple(unknown[1:SHOWN]),
        )
    return None


def _twins(run: Run) -> tuple[str, str, str] | None:
    """Two names of one metric with the same labels and other values, at the same steps."""
    for metric, names in run.metrics().items():
        seen: dict[tuple[tuple[str, str], ...], str] = {}
        for name in names if len(names) < MAX_NAMES else ():
            labels = tuple(sorted(run.bindings[name].labels.items()))
            other = seen.setdefault(labels, name)
            if other != name and _differ(run, name, other):
                return other, name, metric
    return None


def _differ(run: Run, one: str, other: str) -> bool:
    a, b = run.points.column(one), run.points.column(other)
    if not np.array_equal(a[0], b[0]):
        return False
    return not np.allclose(a[2], b[2], rtol=SAME, atol=1e-9, equal_nan=True)
