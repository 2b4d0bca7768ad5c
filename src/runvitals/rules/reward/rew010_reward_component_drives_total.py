from runvitals.rules.kit import Hit, Patient, Series, above, below, rule, short_number, stretch
from runvitals.rules.outcome.course import course
from runvitals.rules.outcome.roles import PAID
from runvitals.rules.reward import far_enough
from runvitals.rules.reward_parts import ASIDE, GOAL, RewardPart, parts_of
from runvitals.signals.pairs import aligned, rank_correlation

FOLLOWS = 0.9  # rank correlation of the total with the part that drives it (judgement)
AS_MUCH = 0.75  # of what the driver can pay: a part worth less than that is not a goal by itself
INDEPENDENT = ("eval/success_rate", "eval/score_mean", "eval/mean_at_n", "outcome/success_rate")


@rule(
    "REW010", verdict="not learning", needs=["reward/component_mean|reward/score_mean|reward/mean"]
)
def reward_component_drives_total(patient: Patient, *, main: str | None = None) -> Hit | None:
    """One part of the reward rises, while another that is worth as much stands still.

    ## What it looks for
    Parts of the reward over at least 15 points and half of the plan, judged by what they do and not
    by their names.

    **One part drives the total.** A part rose and the total goes with it (a rank correlation of 0.9).
    Another part that could pay about as much pays less than a tenth of that and gained nothing. If
    you name that other part with `main`, or its name mentions correct answers, success or an
    absolute score, it counts whenever it stands still, and also if it is only logged and not paid
    for. The rule is silent if something measured beside the reward (a success rate, a held-out
    score) does well, or if the rising part is the goal by its name. A part that swings around zero
    can pay at most what it has paid so far.

    **Changes are punished too hard.** The total is below zero while the absolute score is above
    zero, in half of the run and at its end.

    Either is a warning whatever the outcome does: the outcome is the reward in question.

    ## Why it matters
    The easy term is learned first, and may be all that is ever learned.

    ## Usual causes
    1. The weights of the parts.
    2. An easy part that is learned first.
    3. Double counting.

    ## What to try
    Lower the weight of the part that rises, or drop it once it is saturated. Normalise each part.
    Call the part that stands still on an answer that should score. Name the goal with `main`.

    ## When to ignore it
    Format is trained on purpose; a part is only logged.

    ## Sources
    Training Monitoring Guide (total negative, absolute score positive); TensorBoard Metrics
    Reference (weights of the score); NeMo-RL on GDPO; an Open-R1 thread with format up and accuracy
    at 0.
    """
    parts, total = parts_of(patient, 15), patient.find(*PAID)
    if not parts or total is None or not far_enough(patient):
        return None
    return _driven(patient, parts, total, main) or _punished(patient, parts, total)


def _driven(
    patient: Patient, parts: list[RewardPart], total: Series, main: str | None
) -> Hit | None:
    rising = [part for part in parts if part.course.rose and part.course.good]
    if not rising:
        return None
    driver = max(rising, key=lambda part: _follows(total, part))
    left = _left_behind(parts, driver, main)
    if left is None or _follows(total, driver) < FOLLOWS or _is_goal(driver, main):
        return None
    if _does_well_beside(patient, parts):
        return None
    return stretch(driver.series).hit(
        f"{driver.name} rose from {short_number(driver.start)} to "
        f"{short_number(driver.now)} and drives the total, while {left.name} "
        f"{'fell to' if left.course.falls else 'stays at'} {short_number(left.now)}",
        advice=f"lower the weight of {driver.name}, or drop it once it is saturated"
        + ("" if _is_goal(left, main) else f", if {left.name} is what you want"),
        causes=("badly balanced weights", "an easy part that is learned first"),
        also=(left.series.name, total.name),
    )


def _follows(total: Series, part: RewardPart) -> float:
    _, sums, pieces = aligned(total, part.series)
    return rank_correlation(sums, pieces)


def _is_goal(part: RewardPart, main: str | None) -> bool:
    """Whether it is the goal because the user says so, or else by its name."""
    return main in part.name if main else bool(GOAL.search(part.name))


def _left_behind(
    parts: list[RewardPart], driver: RewardPart, main: str | None
) -> RewardPart | None:
    """The part that is not learned although it is the goal, or could pay as much as the driver."""
    others = [part for part in parts if part is not driver and not part.is_constant]
    goals = [part for part in others if _is_goal(part, main) and part.stands_still]
    unlearned = [
        part
        for part in others
        if part.hardly_pays
        and main is None
        and not ASIDE.search(part.name)
        and part.scale >= AS_MUCH * driver.scale
    ]
    return max(goals or unlearned, key=lambda part: len(part.series), default=None)


def _does_well_beside(patient: Patient, parts: list[RewardPart]) -> bool:
    """Whether something that is measured beside the reward rises, so that the reward does its work."""
    if patient.outcome is not None and patient.outcome.role.held_out and patient.health.good:
        return True
    beside = patient.find(*INDEPENDENT)
    if beside is None or any(beside.name == part.series.name for part in parts):
        return False
    return course(beside.values, "rate", ceiling=1.0).good


def _punished(patient: Patient, parts: list[RewardPart], total: Series) -> Hit | None:
    absolute = next((part.series for part in parts if "absolute" in part.name.lower()), None)
    if absolute is None or above(absolute, 0.0, for_share=0.5, to_end=True) is None:
        return None
    found = below(total, 0.0, for_share=0.5, to_end=True)
    return found and found.hit(
        f"total reward is below 0 in {found.share:.0%} of the updates, although the absolute score "
        "is above 0",
        advice=f"tune beta/gamma{_weights(patient)}: lower the weight of the change term",
        causes=("the change term punishes regressions too hard",),
        also=(absolute.name,),
    )


def _weights(patient: Patient) -> str:
    """What this run sets for the terms, if it says so."""
    known = (("beta", patient.number("reward_beta")), ("gamma", patient.number("reward_gamma")))
    told = [f"{name} {value:g}" for name, value in known if value is not None]
    return f" (this run: {', '.join(told)})" if told else ""
