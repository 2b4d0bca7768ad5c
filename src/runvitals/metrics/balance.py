"""Is the work spread evenly over the ranks? On the host: lengths are plain numbers here."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from itertools import pairwise

from runvitals.metrics._arrays import host_list, select
from runvitals.metrics._types import Array, Scalar, ShapeError, scalars
from runvitals.model import ConfigError


def _loads(lengths: Sequence[float], parts: list[list[int]]) -> list[float]:
    return [float(sum(lengths[i] for i in part)) for part in parts]


def consecutive_parts(n: int, ranks: int) -> list[list[int]]:
    """Indices cut into `ranks` consecutive chunks, as an unbalanced loader deals them out.

    >>> consecutive_parts(5, 2)
    [[0, 1, 2], [3, 4]]
    """
    if ranks < 1:
        raise ConfigError(f"ranks must be at least 1, got {ranks!r}")
    edges = [-(-n * i // ranks) for i in range(ranks + 1)]
    return [list(range(a, b)) for a, b in pairwise(edges)]


def balanced_partition(lengths: Array, ranks: int, *, equal_size: bool = False) -> list[list[int]]:
    """Indices of the sequences for each rank so that the token loads come out nearly equal.

    The largest differencing method of Karmarkar and Karp. With `equal_size` every rank gets the
    same number of sequences, which must then divide evenly. Sorted by the first index.

    >>> balanced_partition([9, 5, 4, 2], 2, equal_size=True)
    [[0, 3], [1, 2]]
    """
    values = host_list(lengths)
    n = len(values)
    if ranks < 1:
        raise ConfigError(f"ranks must be at least 1, got {ranks!r}")
    if equal_size and n % ranks:
        raise ShapeError("lengths", (n,), f"{ranks} ranks", "do not divide it evenly")
    order = sorted(range(n), key=lambda i: (values[i], i))
    step = ranks if equal_size else 1
    # Each entry is a way to fill all ranks with some of the sequences: (load, members), heaviest
    # first. Two entries merge heavy to light, the most uneven first.
    heap: list[tuple[float, float, int, list[tuple[float, list[int]]]]] = []
    for at in range(0, n, step):
        fill = [(values[i], [i]) for i in order[at : at + step]]
        fill += [(0.0, [])] * (ranks - len(fill))
        fill.sort(key=lambda part: -part[0])
        heapq.heappush(heap, (fill[-1][0] - fill[0][0], -fill[0][0], at, fill))
    count = n
    while len(heap) > 1:
        one, two = heapq.heappop(heap)[3], heapq.heappop(heap)[3]
        fill = [(a[0] + b[0], a[1] + b[1]) for a, b in zip(one, reversed(two), strict=True)]
        fill.sort(key=lambda part: -part[0])
        count += 1
        heapq.heappush(heap, (fill[-1][0] - fill[0][0], -fill[0][0], count, fill))
    if not heap:
        return [[] for _ in range(ranks)]
    return sorted((sorted(part) for _, part in heap[0][3]), key=lambda p: (not p, p))


def seqlen_balance(
    lengths: Array,
    ranks: int,
    *,
    partition: Sequence[Sequence[int]] | None = None,
    equal_size: bool | None = None,
) -> dict[str, float]:
    """Token load of the lightest and heaviest rank, before and after balancing; equal is best.

    `lengths` holds one token count per sequence. Before: consecutive chunks, as veRL's
    `global_seqlen/min`, `max`, `mean` and `minmax_diff`. After: the given `partition` (indices per
    rank), or the one of `balanced_partition` (equal numbers of sequences where they divide evenly).
    The step waits for the heaviest rank: `balance/token_imbalance` is the share of capacity lost,
    `1 - mean / max`, after balancing.

    >>> found = seqlen_balance([10, 200, 30, 40, 50, 60, 70, 80], 4)
    >>> found["balance/seqlen_diff"], found["balance/seqlen_balanced_max"]
    (140.0, 210.0)
    """
    values = host_list(lengths)
    before = _loads(values, consecutive_parts(len(values), ranks))
    if partition is None:
        even = len(values) % ranks == 0 if equal_size is None else equal_size
        parts = balanced_partition(lengths, ranks, equal_size=even)
    else:
        parts = [list(part) for part in partition]
        if len(parts) != ranks:
            raise ConfigError(f"partition has {len(parts)} parts, ranks is {ranks}")
    after = _loads(values, parts)
    mean = sum(values) / ranks
    return {
        "balance/seqlen_min": min(before),
        "balance/seqlen_max": max(before),
        "balance/seqlen_mean": mean,
        "balance/seqlen_diff": max(before) - min(before),
        "balance/seqlen_balanced_min": min(after),
        "balance/seqlen_balanced_max": max(after),
        "balance/token_imbalance": 1.0 - mean / max(after) if max(after) > 0 else math.nan,
    }


@scalars
def load_imbalance(loads: Array) -> Scalar:
    """Share of capacity lost because the others wait for the heaviest, `1 - mean / max`; 0 is even.

    NaN for no load at all.

    >>> load_imbalance([1.0, 1.0, 2.0, 0.0])
    0.5
    """
    chosen, (x,) = select(None, loads=loads)
    top = chosen.max(x)
    return chosen.xp.where(top > 0, 1.0 - chosen.mean(x) / top, math.nan)


@scalars
def load_balance_penalty(loads: Array, *, weight: float = 1.0) -> Scalar:
    """Reward term against uneven load, `-weight` times the coefficient of variation; 0 is even.

    Loads are queue lengths, requests or tokens per worker; the population standard deviation over
    the mean does not depend on their unit. Persistently low values ask for a higher weight. 0 when
    there is no load at all, which is as even as can be.

    >>> load_balance_penalty([3.0, 1.0], weight=2.0)
    -1.0
    """
    chosen, (x,) = select(None, loads=loads)
    mean = chosen.mean(x)
    spread = chosen.std(x, 0.0, mean)
    idle = (mean == 0) & (spread == 0)
    return chosen.xp.where(idle, 0.0, -weight * spread / mean)


@scalars
def expert_load_violation(counts: Array) -> dict[str, Scalar]:
    """How uneven a mixture-of-experts router is: largest and mean relative deviation from even.

    `counts` holds the tokens sent to each expert. 0 is even; 1 means twice the fair share.

    >>> expert_load_violation([30.0, 10.0])["moe/load_violation_max"]
    0.5
    """
    chosen, (x,) = select(None, counts=counts)
    fair = chosen.mean(x)
    return {
        "moe/load_violation_max": chosen.max(x) / fair - 1.0,
        "moe/load_violation_mean": chosen.mean(chosen.xp.abs(x / fair - 1.0)),
    }
