from runvitals.rules.held_out import SCORES
from runvitals.rules.kit import Hit, Patient, Series, fell, rule, short_number, stretch
from runvitals.rules.outcome.course import course
from runvitals.rules.outcome.reading import Outcome
from runvitals.rules.reward import LEARNED_BY_TRYING

LOSSES = "policy/loss_total|preference/loss|rm/loss|lm/loss|optim/loss|value/loss|policy/loss"


@rule(
    "REW006",
    needs=[LOSSES, "outcome"],
    families=["supervised", "rl"],
    excused_by_outcome=True,
    min_points=12,
)
def loss_improves_outcome_flat(patient: Patient, *, fall: float = 0.3) -> Hit | None:
    """The training loss falls, but the outcome does not follow.

    ## What it looks for
    A training loss that has fallen by 30% (`fall`), while the outcome never rose: the return,
    success or reward in reinforcement learning, a held-out accuracy in supervised training, or any
    held-out score of what the model writes that is below 0.9.

    It is a warning if the outcome of the run is not doing well, otherwise a notice.

    ## Why it matters
    The loss is only a means. That it falls proves nothing about the goal.

    ## Usual causes
    1. The objective is not the goal.
    2. The model overfits.
    3. The evaluation is broken, or looks at the wrong split.

    ## What to try
    Run the evaluation on a model that is known to be good. Then stop earlier or change the data.

    ## When to ignore it
    An evaluation of something the training is not meant to change.

    ## Sources
    Training Metrics and Telemetry (one number that goes down is not enough).
    """
    # the outcome is bad already, so that a likely fall of the loss is enough
    found = fell(patient[LOSSES], 1.0 - fall, sure=0.8)
    still = None if found is None else _never_rose(patient)
    if found is None or still is None:
        return None
    series, level = still
    return stretch(series).hit(
        f"{series.name} ends no better, at {short_number(level)}, while "
        f"{found.series.name} fell from {short_number(found.before)} to {short_number(found.level)}",
        advice="check, on a task it can solve, that what lowers the loss also improves the outcome",
        causes=("the objective is not the goal", "overfitting", "the evaluation is broken"),
        also=(found.series.name,),
    )


def _never_rose(patient: Patient) -> tuple[Series, float] | None:
    """The outcome that the word rests on, or a score of what the model writes, if it never rose."""
    main = patient.health.main
    if main is not None and main.course.never_rose and _is_the_goal(main):
        return (main.series, main.shown(main.course.now)) if patient.health.bad else None
    for metric in SCORES:
        series = patient.find(metric)
        if series is not None and (way := course(series.values, "rate")).never_rose:
            return (series, way.now) if way.now < 0.9 else None
    return None


def _is_the_goal(outcome: Outcome) -> bool:
    """Whether it is more than the loss in other words."""
    held_out = outcome.role.held_out and outcome.role.kind != "loss"
    return held_out or outcome.metric in LEARNED_BY_TRYING
