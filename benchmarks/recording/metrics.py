"""What `ppo_health` costs on a million tokens, against the leanest NumPy written by hand.

python benchmarks/recording/metrics.py [--tokens N] [--dtype float32|float64]
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from runvitals import metrics


def make_batch(tokens: int, dtype: str, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    width = 1000
    shape = (tokens // width, width)
    old = rng.normal(-1.5, 0.8, shape)
    lengths = rng.integers(width // 4, width + 1, shape[0])
    returns = rng.normal(0.0, 1.0, shape)
    batch = {
        "logprobs": old + rng.normal(0.0, 0.1, shape),
        "old_logprobs": old,
        "advantages": rng.normal(0.0, 1.0, shape),
        "ref_logprobs": old + rng.normal(0.0, 0.2, shape),
        "entropy": rng.gamma(2.0, 0.5, shape),
        "values": returns + rng.normal(0.0, 0.5, shape),
        "old_values": returns + rng.normal(0.0, 0.6, shape),
        "returns": returns,
    }
    found = {name: x.astype(dtype) for name, x in batch.items()}
    found["mask"] = np.arange(width) < lengths[:, None]
    return found


def by_hand(b: dict[str, np.ndarray]) -> dict[str, float]:
    """The same numbers, as lean as NumPy gets: nothing checked, each pass used twice if it can be."""
    mask = b["mask"]
    new, old, adv = b["logprobs"][mask], b["old_logprobs"][mask], b["advantages"][mask]
    n = new.size

    def spread(x: np.ndarray) -> tuple[float, float]:
        mean = x.mean()
        off = x - mean
        return mean, np.dot(off, off) / (n - 1)

    found = {"policy/logprob_mean": (mean_new := new.mean())}
    found["policy/entropy_sequence"] = -mean_new * n / len(mask)
    change = new - old
    del old
    off = np.expm1(change)
    mean, var = spread(off)
    mean_change = change.mean()
    found |= {
        "policy/kl_old": -mean_change,
        "policy/approx_kl": (off - change).mean(),
        "policy/ratio_mean": 1 + mean,
        "policy/ratio_var": var,
        "policy/ratio_std": np.sqrt(var),
        "policy/ratio_min": np.exp(change.min()),
        "policy/ratio_max": np.exp(change.max()),
        "policy/ratio_abs_dev": np.abs(off).mean(),
    }
    del change
    good, bad = adv > 0, adv < 0
    at_low = np.count_nonzero((off < -0.2) & bad) / n
    at_high = np.count_nonzero((off > 0.2) & good) / n
    off += 1
    held = np.clip(off, 0.8, 1.2)
    held *= adv
    off *= adv
    np.minimum(off, held, out=off)
    loss = -off.mean()
    del off, held
    mean, var = spread(adv)
    found |= {
        "policy/clip_fraction_low": at_low,
        "policy/clip_fraction_high": at_high,
        "policy/clip_fraction": at_low + at_high,
        "policy/loss": loss,
        "advantage/mean": mean,
        "advantage/std": np.sqrt(var),
        "advantage/min": adv.min(),
        "advantage/max": adv.max(),
        "advantage/abs_mean": np.abs(adv).mean(),
        "advantage/zero_fraction": 1 - (np.count_nonzero(good) + np.count_nonzero(bad)) / n,
    }
    del adv, good, bad
    entropy = b["entropy"][mask]
    found |= {
        "policy/entropy": entropy.mean(),
        "policy/entropy_min": entropy.min(),
        "policy/entropy_max": entropy.max(),
    }
    del entropy
    ref = b["ref_logprobs"][mask]
    away = ref - new
    kl = np.expm1(away)
    kl -= away
    found |= {
        "policy/logprob_ref_mean": ref.mean(),
        "policy/kl_ref": kl.mean(),
        "policy/kl_ref_max": kl.max(),
        "policy/kl_ref_sequence": -away.sum() / len(mask),
    }
    del new, ref, away, kl
    v, v_old, returns = b["values"][mask], b["old_values"][mask], b["returns"][mask]
    mean, var = spread(returns)
    mean_old, var_old = spread(v_old)
    found |= {
        "returns/mean": mean,
        "returns/var": var,
        "returns/std": np.sqrt(var),
        "returns/min": returns.min(),
        "returns/max": returns.max(),
        "value/mean": mean_old,
        "value/var": var_old,
        "value/std": np.sqrt(var_old),
        "value/min": v_old.min(),
        "value/max": v_old.max(),
        "value/pred_mean": v.mean(),
        "value/explained_variance": 1 - spread(returns - v_old)[1] / var,
    }
    move = v - v_old
    np.abs(move, out=move)
    error = v - returns
    error *= error
    bounded = np.clip(v, v_old - 0.2, v_old + 0.2)
    bounded -= returns
    bounded *= bounded
    found |= {
        "value/change_mean": move.mean(),
        "value/change_max": move.max(),
        "value/error": error.mean(),
        "value/clip_fraction": np.count_nonzero(bounded > error) / n,
        "value/loss": 0.5 * np.maximum(error, bounded, out=error).mean(),
    }
    lengths = np.count_nonzero(mask, axis=1)
    found |= {
        "length/response_mean": lengths.mean(),
        "length/response_std": lengths.std(ddof=1),
        "length/response_min": lengths.min(),
        "length/response_max": lengths.max(),
        "length/response_clip_ratio": np.count_nonzero(lengths == mask.shape[1]) / len(lengths),
    }
    return {name: float(x) for name, x in found.items()}


def ours(b: dict[str, np.ndarray]) -> dict[str, float]:
    return metrics.ppo_health(**b, value_clip=0.2)


def best_seconds(run: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_bytes(run: Callable[[], object]) -> int:
    """Most memory that the call held beyond its input."""
    run()
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def compare(tokens: int, dtype: str, repeats: int = 15) -> dict[str, float]:
    batch = make_batch(tokens, dtype)
    theirs, mine = by_hand(batch), ours(batch)
    worst = max(
        abs(mine[k] - theirs[k]) / max(abs(theirs[k]), 1e-12) for k in theirs if theirs[k] != 0
    )
    size = sum(x.nbytes for x in batch.values())
    # Alternate, so that a busy machine slows both alike.
    hands, bundles = [], []
    for _ in range(repeats):
        hands.append(best_seconds(lambda: by_hand(batch), 1))
        bundles.append(best_seconds(lambda: ours(batch), 1))
    hand, bundle = min(hands), min(bundles)
    return {
        "tokens": tokens,
        "metrics_by_hand": len(theirs),
        "metrics_bundle": len(mine),
        "hand_ms": 1e3 * hand,
        "bundle_ms": 1e3 * bundle,
        "slowdown": bundle / hand,
        "input_mb": size / 1e6,
        "peak_over_input": peak_bytes(lambda: ours(batch)) / size,
        "hand_peak_over_input": peak_bytes(lambda: by_hand(batch)) / size,
        "worst_relative_difference": worst,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--dtype", choices=["float32", "float64"], action="append")
    args = parser.parse_args()
    for dtype in args.dtype or ["float32", "float64"]:
        r = compare(args.tokens, dtype)
        print(
            f"{dtype}, {r['tokens']:,} tokens, {r['input_mb']:.0f} MB of input\n"
            f"  by hand     {r['hand_ms']:6.1f} ms for {r['metrics_by_hand']} metrics,"
            f" working memory {r['hand_peak_over_input']:.2f} x input\n"
            f"  ppo_health  {r['bundle_ms']:6.1f} ms for {r['metrics_bundle']} metrics,"
            f" working memory {r['peak_over_input']:.2f} x input\n"
            f"  slowdown {r['slowdown']:.2f} (at most 1.5), memory with input"
            f" {1 + r['peak_over_input']:.2f} x (at most 2),"
            f" largest relative difference {r['worst_relative_difference']:.1e}"
        )


if __name__ == "__main__":
    main()
