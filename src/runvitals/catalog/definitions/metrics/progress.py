"""Metrics of how far the run is."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "progress/step",
        meaning=(
            "Trainer step counter (one optimisation round or optimiser step, as the framework "
            "counts it)"
        ),
        unit="step",
        direction="neutral",
        category="progress",
        title="Trainer step",
        watch_for=(
            "The x axis of most charts. Tools count different things: an optimisation round, an "
            "optimiser step, an episode. Never compare two tools by step; compare by "
            "environment steps, tokens or wall time."
        ),
        related=("progress/env_steps", "progress/optimizer_steps"),
    ),
    Metric(
        "progress/optimizer_steps",
        meaning="Cumulative optimiser steps (parameter updates)",
        unit="step",
        direction="neutral",
        category="progress",
        title="Optimiser steps",
        watch_for=(
            "The counter to compare learning rates and schedules by; not the same as logging steps "
            "or environment steps."
        ),
        related=("progress/step", "progress/update_rounds"),
        not_the_same_as=("progress/step", "progress/env_steps"),
    ),
    Metric(
        "progress/env_steps",
        meaning="Cumulative environment steps (transitions) collected",
        unit="step",
        direction="neutral",
        category="progress",
        title="Environment steps",
        watch_for=(
            "The fair x axis for reinforcement learning: how much experience the learner has "
            "paid for. Some tools count frames with frame skip, others agent decisions."
        ),
        related=("throughput/env_steps_per_s",),
    ),
    Metric(
        "progress/episodes",
        meaning="Cumulative episodes or completed rollouts",
        unit="episode",
        direction="neutral",
        category="progress",
    ),
    Metric(
        "progress/samples",
        meaning="Cumulative training samples consumed",
        unit="sample",
        direction="neutral",
        category="progress",
    ),
    Metric(
        "progress/tokens",
        meaning="Cumulative training tokens consumed",
        unit="token",
        direction="neutral",
        category="progress",
        title="Tokens trained",
        watch_for="The fairest axis for comparing language-model runs with different batch sizes.",
        related=("throughput/tokens_per_s",),
        not_the_same_as=("data/tokens_per_step",),
    ),
    Metric(
        "progress/epoch",
        meaning="Passes over the data set (may be fractional)",
        unit="epoch",
        direction="neutral",
        category="progress",
        title="Epoch",
        watch_for=(
            "In fine-tuning, losses often drop in a stair at each new epoch: that is memorising "
            "and not sudden insight."
        ),
        related=("progress/fraction", "eval/loss"),
    ),
    Metric(
        "progress/fraction",
        meaning="Share of the planned run that is done",
        unit="ratio",
        direction="neutral",
        category="progress",
    ),
    Metric(
        "progress/weight_version",
        meaning="Version counter of the policy weights",
        unit="version",
        direction="neutral",
        category="progress",
        title="Policy weight version",
        related=("async/staleness_mean",),
    ),
    Metric(
        "progress/total_steps",
        meaning="Planned number of steps",
        unit="step",
        direction="neutral",
        category="progress",
    ),
    Metric(
        "progress/time_fraction",
        meaning="Share of the planned time that is gone",
        unit="ratio",
        direction="neutral",
        category="progress",
    ),
    Metric(
        "progress/update_rounds",
        meaning=(
            "Cumulative update rounds in the framework's own unit (optimisation epochs for SB3 "
            "PPO, update calls for A2C); not comparable with optimiser steps"
        ),
        unit="round",
        direction="neutral",
        category="progress",
    ),
    Metric(
        "progress/env_steps_per_iteration",
        meaning="Environment steps collected in the reporting window",
        unit="step",
        direction="neutral",
        category="progress",
    ),
    Metric(
        "progress/agent_steps",
        meaning="Cumulative agent steps (differs from environment steps with several agents)",
        unit="step",
        direction="neutral",
        category="progress",
    ),
    Metric(
        "progress/chunks",
        meaning="Work chunks finished, as a resumable run counts them",
        unit="chunk",
        direction="neutral",
        category="progress",
        title="Finished work chunks",
        watch_for=(
            "After an interruption, check that this continues from where it stopped and that the "
            "newest checkpoint belongs to it."
        ),
        related=("progress/requests", "progress/fraction"),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "progress/requests",
        meaning="Requests (environment jobs) served since the start",
        unit="request",
        direction="neutral",
        category="progress",
        title="Requests served",
        watch_for="Tells whether a resumed run really continued.",
        related=("progress/chunks",),
        documents=("Training Monitoring Guide",),
    ),
)
