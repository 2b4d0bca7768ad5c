from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.outcome.health import statement

PROXIES = "outcome/return_mean|outcome/return_shaped_mean|reward/score_mean|reward/mean"
TRUTHS = "outcome/success_rate|outcome/win_rate"


@rule("REW001", verdict="not learning", needs=[PROXIES, TRUTHS])
def return_up_success_flat(patient: Patient) -> Hit | None:
    """The return rises but the task is done no better: the reward pays for the wrong thing.

    ## What it looks for
    A clear rise of the return (or reward), while the share of successes or wins stays where it was
    or falls. A held-out outcome that rises clears the run.

    A return that rises beside a held-out success that does not is left to EVAL002, a part of the
    reward that is not learned to REW010, and a return that only rises because there are fewer random
    actions to REW015.

    ## Why it matters
    Reward hacking looks like perfect training on every other chart. Only a measure other than the
    reward can reveal it.

    ## Usual causes
    1. A bonus or shaping term that can be collected forever.
    2. Success is measured on a different distribution than the one trained on.
    3. Success is still out of reach, and the shaping only leads towards it.

    ## What to try
    Watch or read twenty episodes with high reward. Log the parts of the reward. Go back to before
    the gap opened.

    ## When to ignore it
    Early on, in tasks where success comes late and all at once.

    ## Sources
    Training Metrics and Telemetry (return up, success flat); the RHOB audit of reward hacking
    (detectors without an outcome are at chance).
    """
    return statement(
        patient,
        "REW001",
        advice="watch episodes with high reward, and log the parts of the reward",
        causes=(
            "reward hacking: a bonus or shaping term that can be farmed",
            "metric mismatch: success is measured on another distribution",
            "success is still out of reach",
        ),
    )
