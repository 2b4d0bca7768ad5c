from runvitals.rules.checks import drop_before, spike_before
from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.outcome.health import statement


@rule("REW003", severity="critical", needs=["outcome"])
def reward_crash(patient: Patient) -> Hit | None:
    """The outcome rose, and then lost most of what it had gained.

    ## What it looks for
    A rise that matters, of which at least a quarter is likely gone at the end of the log. It is a
    warning, and critical if three fifths are gone.

    The message says whether entropy had dropped and clipping had spiked by then. What other rules
    find before the fall is told as its cause.

    ## Why it matters
    The last checkpoint is worth less than an earlier one, and more training seldom brings it back.

    ## Usual causes
    1. Entropy collapsed just before.
    2. An update was too large: KL, clip fraction or gradient norm spiked.
    3. Trainer and rollout engine drifted apart.
    4. The environment or verifier broke.
    5. A resume went wrong.

    ## What to try
    Go back to the last checkpoint before the first sign. Fix that sign, not the last one.

    ## When to ignore it
    A curriculum that made the task harder on purpose; the initial dip of off-policy training.

    ## Sources
    Training Metrics Glossary (reward crashes: look at entropy, then at the clip fraction); Training
    Metrics and Telemetry; threads of Search-R1 and Open-R1 on sudden collapse.
    """
    checks = _checks(patient) if patient.health.plot == "lost" else []
    return statement(
        patient,
        "REW003",
        advice="go back to the checkpoint before the first sign and lower the learning rate",
        causes=(
            "an update that was too large",
            "entropy collapsed",
            "environment or verifier broke",
        ),
        aside="".join(f"; {words}" for words in checks),
    )


def _checks(patient: Patient) -> list[str]:
    """What to look at first where the reward crashed, and then: entropy, and the clip fraction."""
    outcome = patient.outcome
    if outcome is None:
        return []
    fell_at = int(outcome.series.steps[min(outcome.course.begins, len(outcome.series) - 1)])
    entropy, clipped = patient.find("policy/entropy"), patient.find("policy/clip_fraction")
    found = [
        None if entropy is None or patient.continuous else drop_before(entropy, fell_at),
        None if clipped is None else spike_before(clipped, fell_at),
    ]
    return [one.words for one in found if one is not None]
