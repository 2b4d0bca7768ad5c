from runvitals.rules.gain import change_of, is_fall, is_rise
from runvitals.rules.kit import Hit, Patient, rule


@rule("GAIN002", needs=["gain/independent_score", "gain/reward"])
def reward_hacked(patient: Patient, *, least: float = 0.03) -> Hit | None:
    """The reward rises, and the answers get no better.

    ## What it looks for
    The samples carry a score that is not the reward (`acc`, `correct`, a part such as
    `accuracy_reward`). The reward rises, and that score falls, or surely does not rise by 3 points.

    ## Why it matters
    Only an independent score tells hacking from learning: here it says hacking.

    ## Usual causes
    1. The format, the length or a keyword is paid, right or wrong.
    2. The reward model is out of its depth.
    3. The independent part has too little weight.

    ## What to try
    Read samples with a high reward and a wrong answer (`runvitals samples --reward 0.9:`). Pay nothing
    for the format of a wrong answer.

    ## When to ignore it
    The score cannot rise any more.

    ## Sources
    Skalse et al. (2022); Gao et al. (2022), scaling laws for reward model overoptimization.
    """
    reward = change_of(patient.find("gain/reward"))
    score = change_of(patient.find("gain/independent_score"), least)
    if reward is None or score is None or not is_rise(reward) or score.rose > 0.2:
        return None
    if not is_fall(score) and score.now > 1 - 2 * least:
        return None
    what = "falls" if is_fall(score) else "does not rise"
    return reward.found().hit(
        f"reward rises from {reward.start:.3g} to {reward.now:.3g}, and the independent score {what}: "
        f"{score.start:.3g} to {score.now:.3g}, which is reward hacking",
        advice="read wrong answers with a high reward, and stop paying for what they share",
        causes=("format or length is paid, right or wrong", "the reward model is over-optimised"),
        severity="critical" if is_fall(score) else None,
        also=("gain/independent_score",),
    )
