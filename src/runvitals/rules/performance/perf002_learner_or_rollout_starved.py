from collections.abc import Iterator

from runvitals.rules.kit import Hit, Patient, Series, below, rule, stretch
from runvitals.signals.late import THIRD, early_median, late_median
from runvitals.signals.pairs import ratio


@rule(
    "PERF002",
    severity="notice",
    needs=[
        "async/trainer_idle_fraction|async/rollout_idle_fraction|time/wait_s|time/data_s"
        "|throughput/updates_per_s"
    ],
    min_points=20,
)
def learner_or_rollout_starved(
    patient: Patient, *, limit: float = 0.3, updates_per_s: float = 0.1
) -> Hit | None:
    """One side of the run spends its time waiting for the other.

    ## What it looks for
    The share of a step in which the trainer waits for data or rollouts, or the generation side is
    idle: `async/trainer_idle_fraction`, `async/rollout_idle_fraction`, or `time/wait_s` and
    `time/data_s` divided by `time/step_s`.

    - Above 30% it is a notice: many good runs wait for their rollouts.
    - It is a warning if the waiting began during the run: below 30% at first, above 60% in the last
      third.
    - Fewer than one update in ten seconds (`throughput/updates_per_s` below 0.1) is a notice,
      except for language models, whose updates take longer.

    ## Why it matters
    A device that waits costs as much as one that works.

    ## Usual causes
    1. The data pipeline or environment is too slow.
    2. The batch is too small for the device.
    3. Devices are split the wrong way between rollout and training.
    4. Workers died.

    ## What to try
    Use more loader workers or environments, a larger batch, or move devices to the slower side.

    ## When to ignore it
    Colocated set-ups that take turns by design.

    ## Sources
    Training Metrics and Telemetry (updates per second); prime-rl and veRL (wait times, idle ratios).
    """
    waits = [(late_median(s.values, THIRD), s, side) for s, side in _shares(patient) if len(s)]
    late, shares, side = max(waits, key=lambda one: one[0], default=(0.0, None, ""))
    if shares is not None and late > limit:
        early = early_median(shares.values, THIRD)
        began = early < limit and late > 2 * limit
        return stretch(shares).hit(
            f"{side} waits for {late:.0%} of the step"
            + (f", up from {early:.0%}" if began else ""),
            advice="give the slower side more workers or devices, or this side a larger batch",
            severity="warning" if began else "notice",
            causes=("data or environments too slow", "devices split wrongly", "dead workers"),
        )
    rate = patient.find("throughput/updates_per_s")
    if rate is None or not patient.is_any_of(["control"]) or rate.values.min() <= 0:
        return None
    few = below(rate, updates_per_s, to_end=True)
    return few and few.hit(
        f"the learner makes {few.level:.2g} updates per second, "
        f"one every {1 / few.level:,.0f} seconds",
        advice="raise the batch size if the GPU is idle, or speed up the data pipeline",
        causes=("batch size too small", "data pipeline or environments too slow"),
    )


def _shares(patient: Patient) -> Iterator[tuple[Series, str]]:
    for metric, side in (
        ("async/trainer_idle_fraction", "the trainer"),
        ("async/rollout_idle_fraction", "generation"),
    ):
        if (idle := patient.find(metric)) is not None:
            yield idle, side
    step = patient.find("time/step_s")
    for wait in map(patient.find, ("time/wait_s", "time/data_s")):
        if step is not None and wait is not None:
            yield ratio(wait, step), "the trainer"
