from collections.abc import Sequence

import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, rule, short_number, stretch
from runvitals.rules.outcome.course import Course, course
from runvitals.rules.reward import far_enough
from runvitals.signals.pairs import aligned
from runvitals.signals.robust import running_median, spread

MORE = ("throughput", "qps", "goodput", "completed", "served", "tokens_per", "requests_per")
LESS = ("latency", "delay", "ttft", "tbt", "wait", "queue", "response_time", "slo_violation")
BURST = 6.0  # spreads above the usual level, where single points of noise never are (judgement)
AROUND = 41  # points that make the usual level; bursts are shorter than half of them
ADVICE = "look at the parts of the reward and check that the penalties still count"


@rule(
    "REW002",
    needs=["reward/mean|outcome/return_mean", "env/metric"],
    families=["control"],
    min_points=30,
)
def reward_up_objective_flat(patient: Patient, *, within: float = 0.02) -> Hit | None:
    """The reward of a system tuned by RL rises, but its service does not improve.

    ## What it looks for
    Over at least 30 points and half of the plan, one of these:

    - The reward clearly rises, while a gain is unlikely for every logged measure of the service.
      Throughput and the like should go up; latency, delay and queues should go down.
    - At least three single points have a reward far above its usual level, while the service is
      better there by no more than 2% (`within`) or chance.

    ## Why it matters
    The reward stands in for the service. If only the reward rises, one of its terms is masking
    another.

    ## Usual causes
    1. A penalty (latency, balance) is masked by another term.
    2. The weights of the reward were changed.
    3. The measurement window is longer than the rise.

    ## What to try
    Look at the parts of the reward at these steps, and check that the penalties are not zero.

    ## When to ignore it
    Load that grows during the run, so that keeping the service level is an achievement.

    ## Sources
    Training Monitoring Guide (reward spikes without better throughput).
    """
    reward = patient["reward/mean|outcome/return_mean"]
    services = [(series, sign) for series in patient.all("env/metric") if (sign := _sign(series))]
    if not services or not far_enough(patient):
        return None
    also = tuple(series.name for series, _ in services)
    way = course(reward.values)
    if way.good and way.rose:
        return _rose_alone(reward, way, services)
    above = reward.values - running_median(reward.values, AROUND)
    found = np.flatnonzero(above > BURST * spread(above))
    if len(found) < 3 or not all(_no_better_at(found, reward, *one, within) for one in services):
        return None
    peak = short_number(reward.values[found].max())
    return stretch(reward, int(found[0]), int(found[-1])).hit(
        f"reward spikes at {len(found):,} points, up to {peak} (usually "
        f"{short_number(float(np.median(reward.values)))}), and {also[0]} is no better there",
        advice=ADVICE,
        causes=("a penalty masked by another term", "a bonus that can be farmed"),
        also=also,
    )


def _rose_alone(reward: Series, way: Course, services: Sequence[tuple[Series, int]]) -> Hit | None:
    """A reward that rose while no service improved."""
    gains = [course(sign * series.values, "score") for series, sign in services]
    if any(gain.leans_up or gain.good for gain in gains):
        return None
    (worst, sign), gain = min(
        zip(services, gains, strict=True),
        key=lambda pair: pair[1].change / max(abs(pair[1].start), 1e-12),
    )
    start, now = (short_number(sign * level) for level in (gain.start, gain.now))
    return stretch(reward).hit(
        f"reward rose from {short_number(way.start)} to {short_number(way.now)} while "
        f"{worst.name} went from {start} to {now}",
        advice=ADVICE,
        causes=("a penalty masked by another term", "changed reward weights"),
        also=tuple(series.name for series, _ in services),
    )


def _no_better_at(
    points: np.ndarray, reward: Series, series: Series, sign: int, within: float
) -> bool:
    """Whether a service is, at these points of the reward, not better than usual beyond chance."""
    steps, _, service = aligned(reward, series)
    at = np.isin(steps, reward.steps[points])
    if not at.any() or at.all():
        return False
    usual = float(np.median(service[~at]))
    chance = 2.0 * spread(service[~at]) / np.sqrt(int(at.sum()))
    return bool(sign * (np.median(service[at]) - usual) <= max(within * abs(usual), chance))


def _sign(series: Series) -> int:
    """1 if more of it is better, -1 if less is, 0 if that is not known."""
    name = f"{series.name} {' '.join(series.labels.values())}".lower()
    return -1 if any(word in name for word in LESS) else int(any(word in name for word in MORE))
