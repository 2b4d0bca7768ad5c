import numpy as np

from runvitals.rules.kit import Detection, FloatArray, Hit, Limit, Patient, Series, number, rule
from runvitals.signals.gap import MeanGap, gap
from runvitals.signals.held_out import chance_limit
from runvitals.signals.late import QUARTER, early_mean, late_mean

# what both sides measure in one unit
PLAYED = ("success_rate", "win_rate", "return_mean")
PAIRS_RANKED = ("preference/accuracy", "rm/accuracy")
TOLD = (*PAIRS_RANKED, "supervised/accuracy", "lm/token_accuracy")
PAIRS = (
    *((f"outcome/{name}", f"eval/{name}") for name in PLAYED),
    *((name, f"eval/{name}") for name in TOLD),
)
MIN_GAP_OF_SHARE = 0.3  # healthy runs with exploration noise and unlike seeds stay within 0.2
RESCALED = (
    "reward_scale", "norm_reward", "normalize_reward", "reward_normalization", "clip_reward",
)  # fmt: skip


@rule(
    "EVAL004",
    verdict="overfitting",
    needs=["|".join(mine for mine, _ in PAIRS), "|".join(theirs for _, theirs in PAIRS)],
)
def evaluation_far_below_training(patient: Patient, *, least_gap: float = 0.5) -> Hit | None:
    """The evaluation is far below what training reports, in the same unit.

    ## What it looks for
    Return, success, wins or accuracy of both training and evaluation, compared at the same steps in
    the later half of the run. At least three evaluations must be below training

    - by half of the larger level (`least_gap`), or by 0.3 for rates and accuracies,
    - by half of what training gained, also in the last quarter: one that lags catches up, and
    - by more than chance would explain once in 200 times.

    Two evaluations are enough for the accuracy of pairs if both are what guessing gives. Returns
    may be on different scales, so for them it is a notice if the evaluation clearly rose as well or
    a setting says that rewards are rescaled. It is a notice, too, if the evaluation is exactly 0 in
    every row: then probably nobody filled it in. An evaluation above training is normal, because it
    explores less.

    ## Why it matters
    One of the two numbers is wrong. Either the policy does not do what the training curve says, or
    it is evaluated in a different world from the one it was trained in.

    ## Usual causes
    1. Observations are normalised in training, but not in evaluation, or with other statistics
       (VecNormalize without its saved statistics).
    2. The evaluation environment has other wrappers, time limits, difficulty or reward terms.
    3. The policy depends on its noise, and its most likely action gets stuck.
    4. Training reports a shaped or normalised reward.
    5. The training set is known by heart.

    ## What to try
    Evaluate in the training environment itself, then change one wrapper at a time. Load the saved
    statistics of the normaliser. Evaluate with sampled actions too.

    ## When to ignore it
    You evaluate on a harder task on purpose.

    ## Sources
    SB3's notes on VecNormalize and EvalCallback (wrap and sync the evaluation environment like the
    training one); our own runs.
    """
    played = patient.is_any_of(["control"])  # language models are asked harder questions on purpose
    for mine, theirs in PAIRS:
        training, held_out = patient.find(mine), patient.find(theirs)
        if training is None or held_out is None or (mine.startswith("outcome/") and not played):
            continue
        scale = least_gap if mine.endswith("return_mean") else 0.0
        by_guessing = mine in PAIRS_RANKED and held_out.values.max() < chance_limit(held_out.values)
        hit = _compare(patient, training, held_out, scale, least=2 if by_guessing else 3)
        if hit is not None:
            return hit
    return None


def _compare(
    patient: Patient, training: Series, held_out: Series, scale: float, least: int
) -> Hit | None:
    """What a pair says; `scale`: the least gap as a share of the level, 0 for shares of episodes."""
    at, levels = _at_evaluations(training, held_out)
    first = max(0, min(len(at) // 2, len(at) - least))
    if len(at) - first < least or patient.health.early:
        return None
    scores = held_out.values[at]
    behind = levels - scores
    found = gap(behind[first:])
    now, there = float(levels[first:].mean()), float(scores[first:].mean())
    gained = now - early_mean(training.values, 1 / 20)
    need = max(scale * max(abs(now), abs(there)) or MIN_GAP_OF_SHARE, gained / 2)
    sure = found.sure or (least < 3 and float(behind[first:].min()) >= need)
    if not sure or min(found.size, late_mean(behind, QUARTER)) < need:
        return None
    empty = scale > 0 and not held_out.values.any()
    other_scale = scale > 0 and (_rose(scores) or _rescaled(patient))
    return Detection(held_out, int(at[first]), int(at[-1]), there, limit=Limit(need, "lower")).hit(
        f"{held_out.name} is exactly 0 in all {len(held_out):,} rows while {training.name} is "
        f"{number(now, 3)}: probably it was never filled in"
        if empty
        else f"{held_out.name} is {number(there, 3)} while {training.name} is {number(now, 3)} "
        f"({_words(found, now)})",
        advice="check what writes the evaluation"
        if empty
        else "evaluate in the training environment, with the saved statistics of its normaliser"
        if patient.is_any_of(["control"])
        else "check that the two sets are alike, stop earlier, and use more data",
        severity="notice" if empty or other_scale else None,
        causes=(
            "observations normalised in training only, or with other statistics",
            "the evaluation environment differs",
            "the policy depends on its noise",
        )
        if training.metric is None or training.metric.startswith("outcome/")
        else ("the training set is known by heart", "the two sets differ"),
        also=(training.name,),
    )


def _at_evaluations(training: Series, held_out: Series) -> tuple[np.ndarray, FloatArray]:
    """The evaluations that training covers, and the mean of training since the one before each."""
    ends = np.searchsorted(training.steps, held_out.steps, side="right")
    usual = max(1, int(np.median(np.diff(held_out.steps, prepend=0))))
    covered = np.flatnonzero((ends > 0) & (held_out.steps <= int(training.steps[-1]) + usual))
    begins = np.minimum(np.concatenate([[0], ends[:-1]]), ends - 1)
    levels = [float(training.values[begins[one] : ends[one]].mean()) for one in covered]
    return covered, np.array(levels, np.float64)


def _rose(scores: FloatArray) -> bool:
    """Whether the evaluation has gained clearly too, by half of its own level."""
    half = len(scores) // 2
    rise = gap(scores[half:] - float(scores[: max(1, half // 2)].mean()))
    return rise.sure and rise.size >= float(np.abs(scores[half:]).mean()) / 2


def _rescaled(patient: Patient) -> bool:
    return any(
        str(key).replace("/", ".").rpartition(".")[2].lower() in RESCALED
        and (value is True or (value and str(value).lower() not in ("1", "1.0", "none", "false")))
        for key, value in patient.run.config.items()
    )


def _words(found: MeanGap, now: float) -> str:
    share = found.size / abs(now) if now else 0.0
    lower = f"{share:.0%} lower" if 0 < share <= 1 else f"{number(found.size, 3)} lower"
    return f"{lower}, give or take {number(2 * found.error, 2)}, in {found.pairs} evaluations"
