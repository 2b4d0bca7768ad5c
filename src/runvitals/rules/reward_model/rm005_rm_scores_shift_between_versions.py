import numpy as np

from runvitals.rules.kit import Hit, Patient, rule, stretch
from runvitals.signals.change import level_shift

MIN_JUMP = 8.0  # times the noise (judgement: scores of one model wander far)
AT_ONCE = 0.6  # of it between two neighbouring points
ANOTHER = 0.05  # of the pairs: smaller changes are another test set


@rule("RM005", needs=["rm/score_mean"], families=["llm-rl"], min_points=24)
def rm_scores_shift_between_versions(patient: Patient, *, jump: float = MIN_JUMP) -> Hit | None:
    """The reward model's scores change their level or spread from one step to the next.

    ## What it looks for
    One of these jumps between two neighbouring points and stays there:

    - `rm/score_mean` or `rm/score_std`, by at least eight times the noise (`jump`)
    - the recorded `rm/accuracy`, which is a constant of the model

    It is critical if a held-out score or the outcome falls.

    ## Why it matters
    A policy changes step by step. If scores jump, the judge changed: another version, normalisation
    or template. Reward curves before and after cannot be compared.

    ## Usual causes
    1. The reward model was swapped or retrained.
    2. The scores are normalised differently.
    3. The base model or template is different.

    ## What to try
    Score a frozen set of probe answers with both versions. Re-centre the scores. Compare ranks.

    ## When to ignore it
    A deliberate new version, with the critic reset.

    ## Sources
    Training Metrics Glossary (scores differ between versions).
    """
    for metric, words, least in (
        ("rm/accuracy", "reward model's accuracy", ANOTHER),
        ("rm/score_mean", "mean score of the reward model", 0.0),
        ("rm/score_std", "spread of the reward model's scores", 0.0),
    ):
        series = patient.find(metric)
        shift = None if series is None else level_shift(series.values, size=jump)
        if series is None or shift is None or abs(shift.after - shift.before) < least:
            continue
        steps = np.abs(np.diff(series.values))
        if steps[shift.at - 1] < AT_ONCE * abs(shift.after - shift.before):
            continue
        return stretch(series, shift.at).hit(
            f"the {words} jumped from {shift.before:.3g} to {shift.after:.3g} at step "
            f"{int(series.steps[shift.at]):,}",
            advice="score a frozen set of probe answers before and after that step",
            severity="critical" if patient.health.falls else None,
            causes=("reward model swapped", "scores normalised differently", "different template"),
        )
    return None
