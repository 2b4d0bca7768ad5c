from runvitals.rules.kit import Hit, Patient, number, rule, stretch
from runvitals.rules.outcome.course import ENOUGH, SURE
from runvitals.rules.outcome.health import statement
from runvitals.rules.outcome.reading import HIGH, moved
from runvitals.rules.reward import LEARNED_BY_TRYING, far_enough

STANDS_SINCE = 0.45  # of the run
ONE_UPDATE = "check that one update moves the policy the right way, on a task it can solve"
MORE = "change the data or the exploration; more steps alone seldom help"
PLATEAU = ("exploration spent", "learning rate decayed", "nothing more to learn from the data")
NEVER_ROSE = (
    "updates too small or too large to learn from",
    "a bug between environment and loss: observations, masks, returns",
    "exploration that is spent or never fades",
    "task too hard for the starting policy",
)


@rule("REW005", verdict="stalled", needs=["outcome"])
def learning_stalled_or_below_target(
    patient: Patient, *, target: float | None = None
) -> Hit | None:
    """The outcome never rose above its start, or stopped rising far from where it should be.

    ## What it looks for
    The outcome is success, score or return, or the reward if there is none of these.

    - **It never rose.** A gain that matters is unlikely. It is a warning, and critical for a run of
      at least 30 points unless it is known to be still running.
    - **It rose and stalled.** A rate rose but stands still below a fifth of its ceiling, or a rate
      of success or wins below three quarters of it for half of the run; or the outcome stands still
      below what `run.expect(metric, above=...)` asks for. It is a warning.
    - **It stands still below its target.** That is `target`, or what a document names for such
      scores (0.7 for those a teacher gives from 0 to 1). It is a warning.

    The end of a rise is not reported where no ceiling is known: it cannot be told from success.

    ## Why it matters
    Most faults break nothing visible except learning itself: a mask, a sign, stale observations,
    shuffled targets, a learning rate that is too low. Steps after this point cost money and teach
    nothing.

    ## Usual causes
    1. Updates are too small, or too large, to learn anything.
    2. There is a bug between the environment and the loss: observations, masks, returns.
    3. Exploration is spent, or never fades.
    4. The task is too hard for the starting policy.
    5. The data or the reward has nothing more to teach.

    ## What to try
    Check that the policy can learn a tiny version of the task. Then look at KL and entropy. If they
    are near zero and constant, updates do nothing. If they are large, updates destroy what was
    learned. After a plateau, change the data or the exploration; more steps alone seldom help.

    ## When to ignore it
    Sparse tasks in which nothing happens for a long time; runs whose starting policy can already do
    the task.

    ## Sources
    TensorBoard Metrics Reference (average reward should rise, target 0.7); RL metrics table (reward
    should rise steadily); Training Metrics and Telemetry (learning that stalls unnoticed).
    """
    outcome = patient.outcome
    if outcome is None:
        return None
    course, stuck = outcome.course, patient.health.plot == "stuck"
    advice, causes = (ONE_UPDATE, NEVER_ROSE) if stuck else (MORE, PLATEAU)
    hit = statement(patient, "REW005", advice=advice, causes=causes) or _stands_still(patient)
    aim = patient.band(outcome.metric, "low", option=target)
    below = aim is not None and course.now < aim.value and not course.rising
    if aim is not None and below and far_enough(patient) and (hit is None or aim.from_run):
        hit = stretch(outcome.series, course.best_index).hit(
            f"{outcome.series.name} ends at {number(course.now)}, below the target of "
            f"{aim.value:g}; its best was {number(course.best)}",
            advice=MORE,
            causes=PLATEAU,
            limit=aim,
        )
    return hit


def _stands_still(patient: Patient) -> Hit | None:
    """A task that can be done, and is done no better for half of the run.

    How accurate one can be on given data, nobody knows.
    """
    outcome = patient.outcome
    if outcome is None or outcome.metric not in LEARNED_BY_TRYING:
        return None
    course = outcome.course
    if not outcome.share < HIGH or course.shape != "rose" or course.points < ENOUGH:
        return None
    slack = max(min(course.matters, course.change / 4), course.matters / 2)
    stood = 1 - course.level.rose(by=slack, since=STANDS_SINCE)
    if stood <= SURE or not far_enough(patient):
        return None
    return stretch(outcome.series, int(STANDS_SINCE * course.points)).hit(
        f"{moved(outcome)} and has stood still for half of the run, far from its ceiling",
        advice=MORE,
        causes=PLATEAU,
    )
