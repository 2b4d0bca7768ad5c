"""One validation round in one call: N answers to each prompt of several data sets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from runvitals.metrics._arrays import Array
from runvitals.metrics.naming import Naming, rename
from runvitals.metrics.passk import Method
from runvitals.metrics.turns import turn_stats
from runvitals.metrics.validation_groups import validation_scores
from runvitals.model.labels import labelled

_KINDS = {
    "mean": "eval/mean_at_n",
    "std": "eval/std_at_n",
    "best": "eval/best_at_n",
    "worst": "eval/worst_at_n",
    "maj": "eval/maj_at_n",
    "pass": "eval/pass_at_k",
}


def validation(
    datasets: Sequence[str],
    prompts: Sequence[Hashable],
    scores: Mapping[str, Sequence[object]],
    *,
    answers: Sequence[Hashable] | None = None,
    turns: Array | None = None,
    correct_at: float | None = None,
    method: Method = "bootstrap",
    seed: int = 42,
    names: Naming = "canonical",
) -> dict[str, float]:
    """One validation round: mean, best, worst and majority of N for each data set and metric.

    One entry per sample, see `validation_scores`. Canonical names carry labels,
    `eval/mean_at_n{dataset=math,metric=acc,n=8}`; the spread of a resampled number has the further
    label `part=std`. With `names="verl"` (or "trl", "seed") they read
    `val-core/<dataset>/<metric>/mean@8`, the first to look at, and `val-aux/...`, the rest.

    >>> validation(["math", "math"], ["q", "q"], {"acc": [1, 0]}, names="verl")[
    ...     "val-core/math/acc/mean@2"]
    0.5
    """
    found: dict[str, float] = {}
    plain = names == "canonical" or names == "sb3"
    for s in validation_scores(
        datasets,
        prompts,
        scores,
        answers=answers,
        correct_at=correct_at,
        method=method,
        seed=seed,
    ):
        section = "val-core" if s.core else "val-aux"
        if plain or s.kind == "pass":
            labels: dict[str, object] = {"dataset": s.dataset, "metric": s.metric}
            labels["k" if s.kind == "pass" else "n"] = s.n
            if s.part == "std":
                labels["part"] = "std"
            found[labelled(_KINDS[s.kind], **labels)] = s.value
        else:
            tail = f"/{s.part}" if s.part else ""
            found[f"{section}/{s.dataset}/{s.metric}/{s.kind}@{s.n}{tail}"] = s.value
    if turns is not None:
        counted = {f"eval/{name}": value for name, value in turn_stats(turns).items()}
        found |= rename(counted, "canonical" if plain else "verl", "validation")
    return found
