import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, number, rule, stretch

MAX_CHANGES = 5  # of one weight: more is a schedule, which changes it on purpose (judgement)
MAX_NAMED = 4  # weights in the message


@rule("DATA009", severity="notice", needs=["reward/component_weight"], area="outcome", min_points=6)
def reward_weights_changed(patient: Patient) -> Hit | None:
    """The reward changed during the run, so scores before and after are not comparable.

    ## What it looks for
    A logged weight of the reward or of a judge's criteria (`reward/component_weight`) that holds
    one value and later another. A weight that changes all the time follows a schedule and is left
    alone. This is a notice: it explains a jump of the reward, but does no harm by itself.

    ## Why it matters
    A reward with other weights has another scale. It may rise because the policy got better, or
    because what it is good at now counts for more. A baseline or critic fitted to the old weights
    is off.

    ## Usual causes
    1. The configuration was changed before a resume.
    2. A curriculum with stages.
    3. A bug that resets weights to their defaults.

    ## What to try
    Compare only scores that use the same weights, or log the single criteria, which stay
    comparable. If you did not change the weights, find out what did.

    ## When to ignore it
    You changed the weights on purpose.

    ## Sources
    TensorBoard Metrics Reference (scoring weights are fixed).
    """
    changed = [
        (series, at)
        for series in patient.all("reward/component_weight")
        if (at := _changed_at(series)) is not None
    ]
    if not changed:
        return None
    changed.sort(key=lambda one: int(one[0].steps[one[1]]))
    first, at = changed[0]
    changes = [
        f"{s.name} from {number(s.values[i - 1], 3)} to {number(s.values[i], 3)}"
        for s, i in changed
    ]
    more = f" and {len(changes) - MAX_NAMED} more" if len(changes) > MAX_NAMED else ""
    return stretch(first, at).hit(
        f"reward weights changed at step {int(first.steps[at]):,}: "
        f"{', '.join(changes[:MAX_NAMED])}{more}; scores before and after are not comparable",
        advice="compare only scores that use the same weights",
        causes=("config changed before a resume", "a curriculum with stages", "weights were reset"),
        also=tuple(s.name for s, _ in changed[1:]),
    )


def _changed_at(series: Series) -> int | None:
    """Where a weight first took another value; None if it never did, or does all the time."""
    values = series.values
    moves = np.flatnonzero(~np.isclose(values[1:], values[:-1], rtol=1e-6))
    return int(moves[0]) + 1 if 0 < len(moves) <= MAX_CHANGES else None
