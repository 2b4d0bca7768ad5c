"""Is the gain real? Rewards beside lengths, other scores, and the same prompts earlier.

Each question is a series with a value per stretch of the run, NaN where a stretch cannot tell.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from runvitals.model import Asked, Digest, FloatArray, Rollout, Stretch

MIN_TEXTS = 8  # of a stretch, for a correlation or a mean
MIN_PROMPTS = 4
SOLVED, LOST = 0.75, 0.25  # of the range of scores: in between it may be chance
SAME_SCORE = 0.98  # correlation from which on two scores are one
START = 0.05  # of the stretches: what later ones are compared with

_Row = dict[str, list[float]]


def gains_of(digest: Digest) -> _Row:
    """By metric, a value per stretch; only metrics that some stretch can tell."""
    found = {
        "gain/reward": [_mean([one.reward for one in kept.kept]) for kept in digest.stretches],
        "gain/length_correlation": [_length_correlation(one) for one in digest.stretches],
        "gain/reward_at_fixed_length": _reward_at_fixed_length(digest),
        "gain/independent_score": _independent_score(digest),
        **_of_prompts(digest),
    }
    return {name: row for name, row in found.items() if any(map(math.isfinite, row))}


def length_of(one: Rollout) -> float:
    """In tokens where they were counted, otherwise in characters."""
    return one.tokens if math.isfinite(one.tokens) else float(one.characters)


def _mean(values: Sequence[float], least: int = MIN_TEXTS) -> float:
    known = [value for value in values if math.isfinite(value)]
    return float(np.mean(known)) if len(known) >= least else math.nan


def _centred(stretch: Stretch, scale: Callable[[float], float]) -> tuple[FloatArray, FloatArray]:
    """Lengths and rewards, each less the mean of its group: what differs for one prompt."""
    groups: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for one in stretch.kept:
        if math.isfinite(one.reward):
            pair = (scale(length_of(one)), one.reward)
            groups.setdefault((one.step, one.group), []).append(pair)
    rows = [np.array(group) - np.mean(group, axis=0) for group in groups.values() if len(group) > 1]
    both = np.concatenate(rows) if rows else np.empty((0, 2))
    return both[:, 0], both[:, 1]


def _length_correlation(stretch: Stretch) -> float:
    length, reward = _centred(stretch, math.log1p)
    spread = float(np.sqrt((length @ length) * (reward @ reward)))
    return (
        float(length @ reward) / spread if len(length) >= MIN_TEXTS and spread > 1e-9 else math.nan
    )


def _reward_at_fixed_length(digest: Digest) -> list[float]:
    """The mean reward if texts had stayed as long as at the start, by what length pays in a group.

    A reward may grow with the length or with its logarithm: the one that fits better counts.
    """
    scales: tuple[Callable[[float], float], ...] = (math.log1p, float)
    fits = [_pay(digest, scale) for scale in scales]
    (fit, pays), scale = max(zip(fits, scales, strict=True), key=lambda one: one[0][0])
    if not fit:
        return [math.nan] * len(digest.stretches)
    means = [_mean([scale(length_of(one)) for one in s.kept]) for s in digest.stretches]
    known = [mean for mean in means if math.isfinite(mean)]
    if not known:
        return [math.nan] * len(digest.stretches)
    start = float(np.mean(known[: max(1, math.ceil(START * len(known)))]))
    rewards = [_mean([one.reward for one in s.kept]) for s in digest.stretches]
    return [r - pays * (m - start) for r, m in zip(rewards, means, strict=True)]


def _pay(digest: Digest, scale: Callable[[float], float]) -> tuple[float, float]:
    """How well length explains the reward within groups, and what one unit of it pays."""
    pairs = [_centred(one, scale) for one in digest.stretches]
    length, reward = (np.concatenate(side) for side in zip(*pairs, strict=True))
    squares, product = float(length @ length), float(length @ reward)
    if len(length) < 4 * MIN_TEXTS or squares < 1e-9 or not float(reward @ reward):
        return 0.0, 0.0
    return product**2 / (squares * float(reward @ reward)), product / squares


def _independent_score(digest: Digest) -> list[float]:
    """The mean of whether answers were right, where the reward is something else."""
    both = [
        (one.reward, one.correct)
        for one in digest.rollouts()
        if math.isfinite(one.reward) and math.isfinite(one.correct)
    ]
    nowhere = [math.nan] * len(digest.stretches)
    if len(both) < 4 * MIN_TEXTS:
        return nowhere
    reward, correct = np.array(both).T
    varies = float(reward.std()) > 1e-9 and float(correct.std()) > 1e-9
    if varies and float(np.corrcoef(reward, correct)[0, 1]) > SAME_SCORE:
        return nowhere
    return [_mean([one.correct for one in s.kept]) for s in digest.stretches]


def _of_prompts(digest: Digest) -> _Row:
    """pass@1 and pass@k of groups, solved prompts that were lost, and evaluations trained on."""
    trained = [one for one in digest.prompts if not one.held_out]
    scored = [cell for one in trained for cell in one.scores.values() if cell[0]]
    found = {"gain/eval_prompts_trained_on": _trained_on(digest)}
    if not scored:
        return found
    low = min(total / count for count, total, _ in scored)
    high = max(top for *_, top in scored)
    if high - low < 1e-9:
        return found

    def share(score: float) -> float:
        return (score - low) / (high - low)

    ends = [one.last for one in digest.stretches]
    first: list[list[float]] = [[] for _ in ends]
    best: list[list[float]] = [[] for _ in ends]
    lost: list[list[float]] = [[] for _ in ends]
    for one in trained:
        for place, cell, was_solved in _courses(one, ends, share):
            count, total, top = cell
            if count > 1:
                first[place].append(share(total / count))
                best[place].append(float(share(top) > 0.5))
            if was_solved:
                lost[place].append(float(share(total / count) <= LOST))
    return {
        **found,
        "gain/pass_at_1": [_mean(row, MIN_PROMPTS) for row in first],
        "gain/pass_at_k": [_mean(row, MIN_PROMPTS) for row in best],
        "gain/lost_prompts": [_mean(row, MIN_PROMPTS) for row in lost],
    }


def _courses(
    one: Asked, ends: Sequence[int], share: Callable[[float], float]
) -> Iterator[tuple[int, tuple[int, float, float], bool]]:
    """The scores of a prompt with their stretch, and whether it had been solved before."""
    solved = False
    for step, cell in one.scores.items():
        if cell[0]:
            place = min(int(np.searchsorted(ends, step)), len(ends) - 1)
            yield place, cell, solved
            solved = solved or share(cell[1] / cell[0]) >= SOLVED


def _trained_on(digest: Digest) -> list[float]:
    """The share of evaluation prompts that stood in the training up to each stretch."""
    first_step = {one.checksum: min(one.scores) for one in digest.prompts if not one.held_out}
    asked = {one.checksum for one in digest.prompts if one.held_out}
    if not asked or not first_step:
        return [math.nan] * len(digest.stretches)
    seen = [first_step[prompt] for prompt in asked if prompt in first_step]
    return [sum(step <= one.last for step in seen) / len(asked) for one in digest.stretches]


def trained_on(digest: Digest) -> list[Asked]:
    """Prompts of the evaluation that were trained on."""
    known = {one.checksum for one in digest.prompts if not one.held_out}
    return [one for one in digest.prompts if one.held_out and one.checksum in known]
