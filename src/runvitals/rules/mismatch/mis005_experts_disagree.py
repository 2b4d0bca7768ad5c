from collections.abc import Iterator

from runvitals.rules.kit import Hit, Patient, above, rule

MEASURES = {
    "moe/routing_disagreement": "of the tokens go to other experts in the trainer than in the engine",
    "moe/replay_fallback_fraction": "of the tokens have no recorded route to replay",
}


@rule("MIS005", needs=["|".join(MEASURES)], min_points=12, excused_by_outcome=True)
def experts_disagree(patient: Patient, *, limit: float | None = None) -> Iterator[Hit | None]:
    """Rollout engine and trainer send tokens to different experts.

    ## What it looks for
    More than 10% of the tokens routed differently, or more than 1% without a route to replay, for a
    fifth of the run and at its end. It is a notice while the outcome is doing well.

    ## Why it matters
    Other experts are another network: the probability of a token jumps, and importance weights with it.
    This makes mixtures of experts collapse in RL.

    ## Usual causes
    1. Routes of the rollout are not replayed in training.
    2. Router logits are computed in low precision.
    3. The engine runs on older weights.

    ## What to try
    Replay the engine's routes (R3, `router_replay` in veRL), compute the router in fp32, and use
    sequence-level weights (GSPO).

    ## When to ignore it
    The probabilities of the engines agree all the same (MIS001 is silent).

    ## Sources
    Ma et al. (2025), aligning training and inference routers; GSPO (2025); veRL's router replay.
    """
    for metric, words in MEASURES.items():
        found = above(patient.find(metric), patient.band(metric, option=limit), to_end=True)
        yield found and found.hit(
            f"{found.level:.0%} {words}",
            advice="replay the routes of the rollout in training, and compute the router in fp32",
            causes=("routes are not replayed", "low precision in the router", "stale weights"),
        )
