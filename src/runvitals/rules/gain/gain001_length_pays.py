import numpy as np

from runvitals.rules.gain import change_of, is_rise
from runvitals.rules.kit import Hit, Patient, rule


@rule("GAIN001", needs=["gain/reward_at_fixed_length", "gain/length_correlation", "gain/reward"])
def length_pays(patient: Patient, *, correlation: float = 0.5, left: float = 1 / 3) -> Hit | None:
    """The reward rises because the texts get longer.

    ## What it looks for
    The reward rises, the longer of two samples of the same prompt gets more (a correlation of 0.5 or
    more), and less than a third of the rise is left at the length of the start. A notice where an
    independent score rises too.

    ## Why it matters
    Length is the cheapest thing to learn. Paying for it buys no quality.

    ## Usual causes
    1. A reward model that prefers long texts.
    2. A reward that counts steps, words or tags.
    3. A loss that divides by length.

    ## What to try
    Read the longest samples. Compare at equal length, or take what length explains out of the reward.

    ## When to ignore it
    The task needs longer texts, and a held-out score rises as well.

    ## Sources
    Singhal et al. (2023), A Long Way to Go: length correlations in RLHF; Dr. GRPO (2025).
    """
    reward = change_of(patient.find("gain/reward"))
    fixed = change_of(patient.find("gain/reward_at_fixed_length"))
    paid = float(np.mean(patient["gain/length_correlation"].values))
    if reward is None or fixed is None or not is_rise(reward):
        return None
    if paid < correlation or fixed.by > left * reward.by:
        return None
    better = is_rise(change_of(patient.find("gain/independent_score")))
    kept = max(0.0, fixed.by / reward.by)
    return reward.found().hit(
        f"{1 - kept:.0%} of the rise in reward goes with longer texts (correlation {paid:.2f})",
        advice="make the reward pay nothing for length alone, and compare texts of equal length",
        causes=("the reward prefers long texts", "the loss divides by length"),
        severity="notice" if better else None,
        also=("gain/reward_at_fixed_length", "gain/length_correlation"),
    )
