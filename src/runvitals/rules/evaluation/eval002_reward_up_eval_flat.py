from runvitals.rules.kit import Hit, Patient, number, rule, stretch
from runvitals.rules.outcome.course import ENOUGH, LARGE, LIKELY, SURE
from runvitals.rules.outcome.health import statement
from runvitals.rules.outcome.reading import HIGH, ends_at, moved
from runvitals.rules.reward import LEARNED_BY_TRYING, far_enough
from runvitals.signals.late import early_median, late_mean, late_median

LONGER = 1.5  # times the early length, or the other way round: worth a word (judgement)
MANY = 0.1  # of the rollouts: worth a word (judgement)
STANDS_SINCE = 0.65  # of the run
ADVICE = "read twenty samples with a high reward, and score them with a second verifier"
CAUSES = ("reward pays for length", "verifier gamed", "training and held-out prompts differ")


@rule("EVAL002", verdict="stalled", needs=["outcome"], families=["rl"])
def reward_up_eval_flat(patient: Patient) -> Hit | None:
    """The training reward rises, but the held-out score does not.

    ## What it looks for
    The training outcome is clearly better than at its start, and the held-out one

    - is worse than at its start,
    - has lost a quarter of its own rise,
    - has not moved, allowing for noise, and is below what training has reached, or
    - rose at first and has stood still since, while the reward made a quarter of its rise or more.

    It is critical if the held-out score falls.

    ## Why it matters
    The policy gets better at the reward, but not at the task.

    ## Usual causes
    1. The reward pays for length.
    2. Failed rollouts distort the mean.
    3. The verifier is being gamed.
    4. Training and held-out prompts or templates differ.
    5. The evaluation is too noisy.

    ## What to try
    Read twenty samples with a high reward. Score them with a second verifier.

    ## When to ignore it
    It is early and only the format is being learned, or the evaluation measures another skill.

    ## Sources
    Training Metrics Glossary (eval stalls, reward rises); rldoctor (gaps of 0.15 and 0.30).
    """
    aside = _aside(patient)
    hit = statement(patient, "EVAL002", advice=ADVICE, causes=CAUSES, aside=aside)
    return hit or _left_behind(patient, aside)


def _left_behind(patient: Patient, aside: str) -> Hit | None:
    """A reward that goes on rising while the held-out score, which rose before, gains nothing."""
    training, held_out = patient.training, patient.held_out
    if training is None or held_out is None or not far_enough(patient):
        return None
    mine, theirs = training.course, held_out.course
    tried = held_out.metric in LEARNED_BY_TRYING
    if not tried or training.role.kind == "loss" or held_out.share >= HIGH:
        return None
    if not mine.good or theirs.shape != "rose" or theirs.points < ENOUGH:
        return None
    much = max(mine.change / 4, LARGE * mine.matters)
    most = min(LARGE * theirs.matters, theirs.change / 4)
    gains = mine.level.rose(by=much, since=STANDS_SINCE)
    stands = 1 - theirs.level.rose(by=most, since=STANDS_SINCE)
    if gains <= LIKELY or stands <= SURE:
        return None
    return stretch(held_out.series, int(STANDS_SINCE * theirs.points)).hit(
        f"held out, it stands at {ends_at(held_out)} for a third of the run or longer, while "
        f"{moved(training)}{aside}",
        advice=ADVICE,
        causes=CAUSES,
        also=(training.series.name,),
    )


def _aside(patient: Patient) -> str:
    """Whether lengths moved, and whether rollouts failed or were cut."""
    told = []
    length = patient.find("length/response_mean")
    if length is not None:
        early, late = early_median(length.values), late_median(length.values)
        if min(early, late) > 0 and max(late / early, early / late) > LONGER:
            told.append(
                f"responses went from {number(early, 3)} to {number(late, 3)} tokens ({length.name})"
            )
    for metric, words in (
        ("length/aborted_ratio", "of the rollouts failed"),
        ("length/response_clip_ratio", "of the responses were cut off"),
    ):
        series = patient.find(metric)
        if series is not None and (share := late_mean(series.values)) > MANY:
            told.append(f"{share:.0%} {words} ({series.name})")
    return "".join(f"; {words}" for words in told)
