"""Metrics of feedback controllers that steer the run."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "control/pressure",
        meaning="Smoothed load that a controller reacts to (label signal: qps, latency)",
        unit="ratio",
        direction="neutral",
        category="control",
        title="Load pressure",
        watch_for=(
            "Correlate it with latency spikes and with the temperature: high pressure should "
            "suppress exploration, and release it again."
        ),
        related=("policy/temperature", "control/pulse_active"),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "control/pulse_active",
        meaning="1 while a controller deliberately raises exploration for a short time",
        unit="flag",
        direction="neutral",
        category="control",
        title="Exploration pulse",
        watch_for=(
            "Pulses should coincide with stagnation of the reward. Constant pulsing means that "
            "the controller never gets what it waits for."
        ),
        related=("policy/temperature", "reward/trend"),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "control/emergency",
        meaning="1 while a controller raises the entropy bonus, since entropy fell below its floor",
        unit="flag",
        direction="lower",
        category="control",
        title="Entropy emergency",
        watch_for="An emergency that does not end: the bonus cannot hold the entropy up.",
        related=("policy/entropy", "policy/entropy_coef"),
    ),
    Metric(
        "control/interventions",
        meaning="How often a controller has stepped in so far",
        unit="count",
        direction="neutral",
        category="control",
        title="Interventions so far",
        related=("control/emergency", "control/since_intervention"),
    ),
    Metric(
        "control/since_intervention",
        meaning="Updates since a controller last stepped in",
        unit="update",
        direction="neutral",
        category="control",
        title="Updates since the last intervention",
        related=("control/interventions",),
    ),
    Metric(
        "control/service_change",
        meaning="Change of the service from one decision to the next (label of: throughput, latency)",
        unit="unit",
        direction="neutral",
        category="control",
        title="Change of the service",
        related=("reward/component_mean",),
    ),
)
