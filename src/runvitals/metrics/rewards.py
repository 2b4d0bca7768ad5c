"""What the rewards of a batch look like, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping

from runvitals.metrics._arrays import (
    Array,
    Scalar,
    ShapeError,
    out_all,
    quiet,
    rows,
    select,
    shape_of,
    unify,
)
from runvitals.metrics.distribution import sorted_quantiles
from runvitals.metrics.kl import Estimator, estimate, kl_ref
from runvitals.model.text import labelled


def moments(
    values: Array, mask: Array | None, prefix: str, *, correction: float = 1.0, median: bool = False
) -> dict[str, Scalar]:
    """Mean, std, variance and extremes under `<prefix>mean` and so on."""
    chosen, (x,) = select(mask, rewards=values)
    mean = chosen.mean(x)
    var = chosen.var(x, correction, mean)
    found = {
        f"{prefix}mean": mean,
        f"{prefix}std": chosen.xp.sqrt(var),
        f"{prefix}var": var,
        f"{prefix}min": chosen.min(x),
        f"{prefix}max": chosen.max(x),
    }
    if median:
        found[f"{prefix}median"] = sorted_quantiles(chosen, x, [0.5])[0]
    return found


@quiet
def reward_stats(
    rewards: Array, mask: Array | None = None, *, correction: float = 1.0
) -> dict[str, Scalar]:
    """Mean, spread, median and extremes of the rewards, one per sample; the mean should rise.

    Standard deviation and variance are unbiased: NaN for a single reward. NaN when nothing counts.

    >>> reward_stats([0.0, 1.0, 1.0])["reward/median"]
    1.0
    """
    return out_all(moments(rewards, mask, "reward/", correction=correction, median=True))


@quiet
def score_stats(
    scores: Array, mask: Array | None = None, *, correction: float = 1.0
) -> dict[str, Scalar]:
    """The same for raw scores of a reward model or verifier, before KL penalty and shaping.

    >>> score_stats([0.0, 1.0])["reward/score_mean"]
    0.5
    """
    found = moments(scores, mask, "reward/score_", correction=correction)
    del found["reward/score_var"]  # no canonical name; the std says it
    return out_all(found)


@quiet
def reward_breakdown(
    components: Mapping[str, Array],
    *,
    weights: Mapping[str, float] | None = None,
    mask: Array | None = None,
    correction: float = 1.0,
) -> dict[str, Scalar]:
    """What the reward is made of: mean, spread and extremes of each part, and the weighted total.

    `components` holds one array per reward function, all of one shape; penalties are negative.
    Weights default to 1. A part whose mean dominates the total is what the policy learns.

    >>> reward_breakdown({"score": [1.0, 1.0], "penalty": [-0.5, 0.0]})["reward/mean"]
    0.75
    """
    found: dict[str, Scalar] = {}
    names = list(components)
    if not names:
        return found
    _, arrays = unify(*components.values())
    total = None
    for name, array in zip(names, arrays, strict=True):
        if shape_of(array) != shape_of(arrays[0]):
            raise ShapeError(
                f"components[{name!r}]",
                shape_of(array),
                f"components[{names[0]!r}]",
                shape_of(arrays[0]),
            )
        for key, value in moments(array, mask, "", correction=correction).items():
            if key != "var":
                found[labelled(f"reward/component_{key}", component=name)] = value
        part = array * (weights or {}).get(name, 1.0)
        total = part if total is None else total + part
    found |= moments(total, mask, "reward/", correction=correction)
    return out_all(found)


@quiet
def penalised_rewards(
    scores: Array,
    logprobs: Array,
    ref_logprobs: Array,
    mask: Array | None = None,
    *,
    kl_coef: float,
    estimator: Estimator = "k1",
) -> Array:
    """Token rewards of RLHF, (B, T): minus the KL penalty on each token, plus the score on the last.

    `scores` has one entry per response. A response without tokens gets no score. 0 where the mask
    is 0.

    >>> penalised_rewards([1.0], [[-1.0, -1.0]], [[-2.0, -1.0]], kl_coef=0.1).tolist()
    [[-0.1, 1.0]]
    """
    xp, keep, (p, q) = rows(mask, logprobs=logprobs, ref_logprobs=ref_logprobs)
    _, (score, _) = unify(scores, p)
    if shape_of(score) != shape_of(p)[:-1]:
        raise ShapeError("scores", shape_of(score), "logprobs", shape_of(p))
    weight = xp.astype(keep, p.dtype)
    seen = xp.cumulative_sum(weight, axis=-1)
    last = keep & (seen == xp.sum(weight, axis=-1)[..., None])
    penalty = -kl_coef * estimate(xp, q - p, estimator)
    return xp.where(keep, penalty, 0.0) + xp.where(last, score[..., None], 0.0)


@quiet
def kl_penalty_mean(
    logprobs: Array,
    ref_logprobs: Array,
    mask: Array | None = None,
    *,
    kl_coef: float,
    estimator: Estimator = "k1",
) -> Scalar:
    """Mean over responses of the KL part of the reward, usually negative; must not dominate.

        mean over responses of sum(-kl_coef * kl)

    >>> kl_penalty_mean([[-1.0, -1.0]], [[-2.0, -1.0]], kl_coef=0.5)
    -0.5
    """
    found = kl_ref(logprobs, ref_logprobs, mask, estimator=estimator, reduce="sequence_sum")
    return -kl_coef * found
