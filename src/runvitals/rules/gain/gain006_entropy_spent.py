import numpy as np

from runvitals.rules.kit import Detection, Hit, Patient, rule, short_number
from runvitals.signals.level import read_level

MAX_ENTROPY = 12.0  # nats: a uniform choice among 160,000 tokens has that much


@rule(
    "GAIN006",
    severity="notice",
    needs=["reward/mean|reward/score_mean|gain/reward", "policy/entropy"],
    families=["llm-rl"],
    min_points=30,
)
def entropy_spent(patient: Patient, *, bought: float = 0.9, fit: float = 0.9) -> Hit | None:
    """Most of what this entropy can buy is bought.

    ## What it looks for
    Reward and entropy follow R = -a exp(H) + b (a fit with R² of 0.9 or more), the entropy has more
    than halved, and the reward has made 90% of the way to the ceiling b - a at an entropy of 0.

    ## Why it matters
    Reward is bought with entropy. Where that law holds, the rest of the run can gain only what is
    left to the ceiling.

    ## Usual causes
    1. No term holds the entropy.
    2. The prompts are learned.

    ## What to try
    Stop here, or keep entropy from now on: clip-higher, KL-Cov or an entropy bonus, and harder prompts.

    ## When to ignore it
    The task is solved.

    ## Sources
    Cui et al. (2025), The Entropy Mechanism of RL for reasoning language models.
    """
    reward, entropy = (
        patient["reward/mean|reward/score_mean|gain/reward"],
        patient["policy/entropy"],
    )
    if len(entropy) < 2 or entropy.values.min() < 0 or entropy.values.max() > MAX_ENTROPY:
        return None
    score, spread = read_level(reward.values), read_level(entropy.values)
    price = np.exp(np.interp(reward.steps, entropy.steps, spread.curve))
    if spread.curve[-1] > 0.5 * spread.curve[0] or np.ptp(price) == 0:
        return None
    slope, base = np.polyfit(price, score.curve, 1)
    rest = score.curve - (slope * price + base)
    explained = 1 - float(rest.var()) / max(float(score.curve.var()), 1e-12)
    ceiling, start, now = base + slope, float(score.curve[0]), float(score.curve[-1])
    if (
        slope >= 0
        or explained < fit
        or ceiling <= start
        or (now - start) < bought * (ceiling - start)
    ):
        return None
    return Detection(reward, 0, len(reward) - 1, now, start).hit(
        f"reward {short_number(now)} is {(now - start) / (ceiling - start):.0%} of the way to "
        f"{short_number(ceiling)}, the most that an entropy of 0 would give",
        advice="stop here, or hold the entropy and use harder prompts",
        causes=("nothing holds the entropy", "the prompts are learned"),
        also=(entropy.name,),
    )
