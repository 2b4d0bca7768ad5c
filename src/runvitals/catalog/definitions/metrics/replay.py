"""Metrics of replay buffers."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "replay/size",
        meaning="Transitions held in the replay buffer",
        unit="transition",
        direction="neutral",
        category="replay",
        title="Replay buffer size",
        watch_for=(
            "Until it is full, the data is mostly early, random behaviour; metrics often shift "
            "when old transitions begin to fall out."
        ),
        related=("replay/ratio",),
    ),
    Metric(
        "replay/fill_fraction",
        meaning="Filled share of a rollout or replay buffer",
        unit="ratio",
        direction="neutral",
        category="replay",
        title="Fill of the buffer",
        watch_for=(
            "A rollout buffer should reach 1 at every update; a replay buffer reaches it once and "
            "stays."
        ),
        related=("replay/size",),
    ),
    Metric(
        "replay/ratio",
        meaning="Samples trained per environment step collected (updates-to-data, replay ratio)",
        unit="ratio",
        direction="neutral",
        category="replay",
        title="Updates per environment step",
        watch_for=(
            "More learning from each step, and more overestimation: when it rises watch the Q "
            "values."
        ),
        related=("value/q_mean", "throughput/updates_per_s"),
    ),
    Metric(
        "replay/priority_beta",
        meaning="Importance exponent of prioritised replay",
        unit="exponent",
        direction="neutral",
        category="replay",
        title="Priority correction",
        watch_for=(
            "Usually annealed to 1 over the run. Stuck low, prioritised samples bias the value "
            "estimates."
        ),
        related=("replay/size", "value/td_error"),
    ),
)
