"""EVAL002."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.model.formatting import number
from runvitals.rules.evaluation._full_marks import full_marks
from runvitals.rules.evaluation._scores import SCORES as EVERY_SCORE
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.late import late_mean, late_median, start_median

SCORES = tuple(
    (metric, ceiling)
    for metric, ceiling in EVERY_SCORE
    if metric not in ("eval/preference/accuracy", "eval/rm/accuracy", "eval/lm/token_accuracy")
)
SHARES = tuple(metric for metric, ceiling in SCORES if ceiling == 1.0)
REWARDS = "reward/score_mean|reward/mean|outcome/return_mean|outcome/score_mean"
HALF = 0.5  # of the plan
LEARNED = 0.1  # points of a held-out share; then the held-out set may just be harder (judgement)
MIN_LENGTHS, ENDS = 12, 5  # points of the lengths; of them at either end
SHORTER, LONGER = 0.67, 1.5  # times the early length: worth a word (judgement)
MANY = 0.1  # of the rollouts: worth a word (judgement)


@rule(
    "EVAL002",
    "reward-up-eval-flat",
    severity="warning",
    needs=["outcome"],
    families=["rl"],
)
def reward_up_eval_flat(patient: Patient) -> Iterator[Hit]:
    """The training reward rises, but the held-out score does not.

    ## What it looks for
    The training outcome is clearly better than at its start, and the held-out one

    - is worse than at its start,
    - has lost a quarter of its own rise, or
    - has not moved, allowing for noise, and is below what training has reached.

    It is critical if the held-out score falls.

    Or a reward that is exhausted: it is at 95% of the highest mark seen in batches, but a held-out
    success rate stays below 0.75 (0.9 if the reward of the same answers was logged). The success
    rate must lack three times as much as the reward does. It is a notice if the success rate has
    risen by 0.1, since the held-out questions may just be harder.

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
    hit = statement(
        patient,
        "EVAL002",
        advice="read twenty samples with a high reward, and score them with a second verifier",
        causes=("reward pays for length", "verifier gamed", "training and held-out prompts differ"),
        aside=_aside(patient),
    )
    if hit is None and (patient.progress is None or patient.progress >= HALF):
        hit = _paid_out(patient)
    if hit is not None:
        yield hit


def _paid_out(patient: Patient) -> Hit | None:
    """The reward is at its highest mark for answers of which many are wrong."""
    gap = full_marks(patient, SHARES)
    if gap is None:
        return None
    whose = "for the same answers" if gap.same else "on held-out prompts"
    return Hit(
        series=gap.score.name,
        span=Stretch(len(gap.score) // 2, len(gap.score) - 1, 0).span(gap.score),
        message=f"{gap.paid.name} is at {gap.full:.0%} of its maximum, but {gap.score.name} "
        f"stays at {number(gap.right, 2)} {whose}",
        advice="read twenty samples that got the full reward but fail the evaluation",
        severity="notice" if not gap.same and gap.gained >= LEARNED else None,
        causes=(
            "verifier gamed",
            "correctness hardly counts in the reward",
            "training set too easy",
        ),
        also=(gap.paid.name,),
    )


def _aside(patient: Patient) -> str:
    """Whether lengths moved, and whether rollouts failed or were cut."""
    told = []
    length = patient.find("length/response_mean")
    if length is not None and len(length) >= MIN_LENGTHS:
        early = start_median(length.values, ENDS)
        late = late_median(length.values, least=ENDS)
        if early > 0 and not SHORTER < late / early < LONGER:
            told.append(
                f"responses went from {number(early, 3)} to {number(late, 3)} tokens ({length.name})"
            )
    for metric, words in (
        ("length/aborted_ratio", "of the rollouts failed"),
        ("length/response_clip_ratio", "of the responses were cut off"),
    ):
        series = patient.find(metric)
        if series is not None and (share := late_mean(series.values, least=ENDS)) > MANY:
            told.append(f"{share:.0%} {words} ({series.name})")
    return "".join(f"; {words}" for words in told)
