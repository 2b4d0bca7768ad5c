from runvitals.rules.kit import Hit, Limit, Patient, Series, rule, stretch
from runvitals.rules.watched import named, parts
from runvitals.signals.late import THIRD, late, late_median

NORMS = "net/grad_norm"
MIN_BLOCKS = 3  # to compare (judgement)


@rule("NET005", excused_by_outcome=True, min_points=6, needs=[NORMS])
def block_without_gradient(patient: Patient, *, limit: float = 1e-5) -> Hit | None:
    """The gradient hardly reaches some blocks of the network.

    ## What it looks for
    Blocks whose `net/grad_norm` over the last third of the run is below 1e-5 (`limit`) of the
    largest block's, in a network of at least three blocks. A warning if the outcome is doing
    poorly, otherwise a notice.

    ## Why it matters
    A block without a gradient stays as it is. With Adam, only noise moves it.

    ## Usual causes
    1. A deep stack of tanh or sigmoid units without residual connections or normalisation.
    2. A gate or scale that went to 0.
    3. Dead or saturated units between the block and the loss (NET002).

    ## What to try
    Add residual connections or normalisation, or change the initialisation. Look at the block that
    comes next.

    ## When to ignore it
    Blocks that are only trained now and then.

    ## Sources
    Hochreiter (1991) and Bengio et al. (1994) on vanishing gradients; SageMaker Debugger (vanishing
    gradient). Ten sigmoid layers at their steepest leave 1e-6; the limit is a judgement.
    """
    blocks = parts(patient, NORMS, "block")
    largest = max(map(_level, blocks.values()), default=0.0)
    if len(blocks) < MIN_BLOCKS or not largest > 0:
        return None
    faint = {name: one for name, one in blocks.items() if _level(one) < limit * largest}
    if not faint:
        return None
    names = sorted(faint, key=lambda name: _level(faint[name]))
    first = faint[names[0]]
    return stretch(first, len(first) - len(late(first.values, THIRD))).hit(
        f"gradient norm of {named(names)} is {_level(first) / largest:.1g} of the largest block's",
        advice="look for saturated units or a closed gate between these blocks and the loss",
        causes=("deep stack without residual connections", "a gate or scale that went to 0"),
        limit=Limit(limit, "of the largest block"),
        also=tuple(faint[name].name for name in names[1:]),
    )


def _level(series: Series) -> float:
    return late_median(series.values, THIRD)
