"""Validation rounds: N answers to each prompt of several data sets, as veRL reports them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from runvitals.metrics._types import Array, ShapeError
from runvitals.metrics.lengths import turn_stats
from runvitals.metrics.naming import Naming, rename
from runvitals.metrics.passk import (
    Method,
    best_at_n,
    maj_at_n,
    mean_at_n,
    pass_at_k_each,
    std_at_n,
    worst_at_n,
)
from runvitals.model import ConfigError
from runvitals.model.text import labelled

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
        datasets, prompts, scores, answers=answers, correct_at=correct_at, method=method, seed=seed
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


def sample_sizes(tries: int) -> list[int]:
    """The numbers of tries that are reported: 2, 4, 8, ... and all.

    >>> sample_sizes(6)
    [2, 4, 6]
    """
    sizes = [2**i for i in range(1, tries.bit_length()) if 2**i < tries]
    return [*sizes, tries] if tries > 1 else []


@dataclass(frozen=True, slots=True)
class ValidationScore:
    """One number of a validation round, with all that its name is made of."""

    dataset: str
    metric: str
    kind: str
    n: int
    part: str
    core: bool
    value: float


def validation_scores(
    datasets: Sequence[str],
    prompts: Sequence[Hashable],
    scores: Mapping[str, Sequence[object]],
    *,
    answers: Sequence[Hashable] | None = None,
    correct_at: float | None = None,
    method: Method = "bootstrap",
    seed: int = 42,
) -> list[ValidationScore]:
    """Mean, spread, best, worst and majority of N for every data set and metric.

    One entry per sample: its data set, its prompt, its value under each metric (`acc`, `reward`,
    ...; None where missing, text is skipped), what it answered. `scores["pred"]` serves as answers
    if those are not given. Core, the numbers to read first, are the mean, best and majority over
    all tries of `acc`, or of `reward` where there is no `acc`. Prompts with fewer tries than others
    report under their own N. With `correct_at` also `pass@k`, unbiased, for scores that reach it.

    >>> found = validation_scores(["math", "math"], ["q1", "q1"], {"acc": [1.0, 0.0]})
    >>> [(s.kind, s.n, s.core, s.value) for s in found if s.kind == "mean"]
    [('mean', 2, True, 0.5)]
    """
    n = len(datasets)
    columns = {"prompts": prompts, **{f"scores[{k!r}]": v for k, v in scores.items()}}
    if answers is not None:
        columns["answers"] = answers
    for name, column in columns.items():
        if len(column) != n:
            raise ShapeError(name, (len(column),), "datasets", (n,))
    if not scores:
        raise ConfigError("validation needs at least one metric in scores")
    voted = answers if answers is not None else scores.get("pred")
    problems: dict[str, dict[Hashable, list[int]]] = {}
    for i, (dataset, prompt) in enumerate(zip(datasets, prompts, strict=True)):
        problems.setdefault(str(dataset), {}).setdefault(prompt, []).append(i)
    found: list[tuple[ValidationScore, int]] = []
    for dataset, by_prompt in problems.items():
        tables = {m: _by_tries(by_prompt, values, voted) for m, values in scores.items()}
        core = "acc" if tables.get("acc") else "reward"
        for metric, table in tables.items():
            most = max(table, default=0)
            for tries, tried in sorted(table.items()):
                for kind, k, part, value, weight in _numbers(
                    tried, tries, correct_at, method, seed
                ):
                    first = metric == core and k == most and kind in ("mean", "best", "maj")
                    score = ValidationScore(dataset, metric, kind, k, part, first, value)
                    found.append((score, weight))
    return _merged(found)


_Tried = list[tuple[list[float], list[Hashable] | None]]


def _by_tries(
    by_prompt: Mapping[Hashable, list[int]],
    values: Sequence[object],
    voted: Sequence[object] | None,
) -> dict[int, _Tried]:
    """Scores and answers (None where one is missing) of each prompt, by number of tries."""
    found: dict[int, _Tried] = {}
    for members in by_prompt.values():
        kept = [i for i in members if values[i] is not None]
        if not kept or isinstance(values[kept[0]], str):
            continue
        row = [float(values[i]) for i in kept]  # type: ignore[arg-type]
        votes: list[Hashable] | None = None
        if voted is not None and len(kept) == len(members):
            said: list[Hashable] = [voted[i] for i in kept]
            votes = said if all(v is not None for v in said) else None
        found.setdefault(len(row), []).append((row, votes))
    return found


def _numbers(
    tried: _Tried, tries: int, correct_at: float | None, method: Method, seed: int
) -> list[tuple[str, int, str, float, int]]:
    """Kind, n, part, value, and how many prompts are behind it."""
    rows = [row for row, _ in tried]
    voted = [(row, votes) for row, votes in tried if votes is not None]
    weight = len(rows)
    found = [("mean", tries, "", mean_at_n(rows), weight)]
    if tries > 1:
        found.append(("std", tries, "", std_at_n(rows), weight))
    for n in sample_sizes(tries):
        for kind, resample in (("best", best_at_n), ("worst", worst_at_n)):
            got = resample(rows, n, method=method, seed=seed)
            found += [(kind, n, "mean", got.mean, weight), (kind, n, "std", got.std, weight)]
        if voted:
            got = maj_at_n([row for row, _ in voted], [v for _, v in voted], n, seed=seed)
            found += [("maj", n, "mean", got.mean, len(voted))]
            found += [("maj", n, "std", got.std, len(voted))]
    if correct_at is not None:
        right = [sum(x >= correct_at for x in row) for row in rows]
        for k in [1, *sample_sizes(tries)]:
            each = pass_at_k_each([tries] * weight, right, k)
            found.append(("pass", k, "", float(np.mean(each)), weight))
    return found


def _merged(found: list[tuple[ValidationScore, int]]) -> list[ValidationScore]:
    """One entry per name: prompts with other numbers of tries join where n is the same."""
    kept: dict[tuple[str, str, str, int, str], list[tuple[ValidationScore, int]]] = {}
    for score, weight in found:
        key = (score.dataset, score.metric, score.kind, score.n, score.part)
        kept.setdefault(key, []).append((score, weight))
    return [
        replace(
            same[0][0],
            core=any(s.core for s, _ in same),
            value=float(np.average([s.value for s, _ in same], weights=[w for _, w in same])),
        )
        for same in kept.values()
    ]
