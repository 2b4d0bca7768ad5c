from runvitals.rules.kit import Hit, Patient, above, rule, size_of
from runvitals.signals.late import late_median

# what it measures, and the gap beyond doubt (veRL: a KL of 0.1; the others alike)
GAPS = {
    "mismatch/k3_kl": ("KL between rollout engine and trainer", 0.1),
    "mismatch/kl": ("KL between rollout engine and trainer", 0.1),
    "mismatch/prob_diff_mean": ("difference in token probabilities", 0.1),
    "mismatch/logprob_diff_mean": ("difference in log-probabilities", 0.4),
    "mismatch/mult_prob_error": ("factor between token probabilities", 1.5),
}
CAUSES = (
    "weights not fully synced",
    "precision or kernels differ",
    "temperature or template differs",
)


@rule("MIS001", needs=["|".join(GAPS)], min_points=12, excused_by_outcome=True)
def rollout_train_probability_gap(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """The rollout engine and the trainer assign different probabilities to the same tokens.

    ## What it looks for
    The level of one of these for a fifth of the run and at its end:

    | measure | above | beyond doubt above |
    |---|---|---|
    | KL (k3 estimator) | 0.001 | 0.1 |
    | KL (plain) | 0.002 | 0.1 |
    | difference in probability | 0.01 | 0.1 |
    | difference in log-probability | 0.03 | 0.4 |
    | factor between probabilities | 1.05 | 1.5 |

    It is a warning if the outcome is not doing well, otherwise a notice. Beyond doubt it is critical
    if the outcome is not doing well, otherwise a warning.

    ## Why it matters
    The policy gradient assumes that samples come from the policy being trained. With a gap, it is
    biased from the first step. Large gaps end in collapse.

    ## Usual causes
    1. Weights are not fully synced to the engine.
    2. Precision or kernels differ (FP8, attention backend).
    3. Temperature, top-p or the prompt template differs.
    4. A mixture of experts routes tokens differently.
    5. An adapter is not merged.

    ## What to try
    Compare the log-probabilities of one fixed prompt in both engines after a weight update. Then
    correct what remains with truncated importance weights.

    ## When to ignore it
    Asynchronous training, where part of the gap comes from stale samples (MIS003).

    ## Sources
    veRL's FAQ and rollout correction (0.005 and 0.01; KL of 0.1); NeMo-RL (1e-3, 1.05); prime-rl
    (growth).
    """
    found: list[tuple[float, Hit]] = []
    for metric, (words, beyond_doubt) in GAPS.items():
        series, bound = patient.find(metric), patient.band(metric, option=limit)
        gap = None if series is None else above(size_of(series), bound, to_end=True)
        if bound is None or gap is None:
            continue
        now = late_median(gap.series.values)
        sure = now > beyond_doubt
        hit = gap.hit(
            f"{words} is {now:.3g}",
            advice="compare the log-probabilities of one prompt in both engines after a weight update",
            grave=sure,
            causes=CAUSES,
            beyond_excuse=sure or bound.from_run,
        )
        found.append((now / beyond_doubt, hit))
    return max(found, key=lambda pair: pair[0])[1] if found else None
