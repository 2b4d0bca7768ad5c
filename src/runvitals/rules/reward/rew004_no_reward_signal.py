from runvitals.rules.kit import Detection, Hit, Patient, constant, rule
from runvitals.rules.outcome.roles import PAID
from runvitals.rules.reward import unscored


@rule("REW004", severity="critical", needs=["|".join((*PAID, "outcome/success_rate"))], fact=True)
def no_reward_signal(patient: Patient, *, points: int = 20) -> Hit | None:
    """The reward is the same whatever the policy does, so there is nothing to learn from.

    ## What it looks for
    Every logged mean of return and reward (or the success rate, if there is none) has exactly the
    same value in the last 20 updates (`points`) and in half of the run. For language models it is
    enough if the standard deviation of the rewards is 0 for as long.

    It is silent while the outcome is doing well, or began near its ceiling: a constant full score is
    success.

    ## Why it matters
    Without differences in reward, every advantage is zero or noise.

    ## Usual causes
    1. The reward function returns a constant, falls back to a default, or reads the wrong field.
    2. The task is too hard for the starting policy: it never succeeds once.
    3. The reward is clipped or normalised away.
    4. The policy is dead and does only one thing.

    ## What to try
    Call the reward function on three good and three bad answers written by hand. Then make the task
    easier or shape the reward, and count the verifier's errors.

    ## When to ignore it
    Training with penalties only, for example against offensive answers; a solved task; a log in
    which no episode ended between two rows.

    ## Sources
    Training Metrics and Telemetry (flat lines mean no signal); TRL and Open-R1 threads on rewards
    that stay at 0; RLExplorer's reward check.
    """
    if patient.health.plot in ("rises", "holds", "early", "steady"):
        return None
    found = _constant(patient, points)
    if found is None:
        return None
    count = len(found.series) - found.first
    return found.hit(
        f"{found.series.name} is exactly {found.level:g} at the last {count:,} points",
        advice=f"{unscored(patient)}call the reward function on good and bad answers written by hand",
        causes=(
            "reward function returns a constant or reads the wrong field",
            "task too hard: the policy never succeeds",
            "policy is dead and does only one thing",
        ),
    )


def _constant(patient: Patient, points: int) -> Detection | None:
    """The first series without signal, if none has one."""
    spread = patient.find("reward/std", "reward/score_std") if patient.kind == "llm-rl" else None
    if spread and (found := constant(spread, max(points, len(spread) // 2), value=0.0)):
        return found
    paid = list(filter(None, map(patient.find, PAID))) or [patient["outcome/success_rate"]]
    stuck = [constant(series, max(points, len(series) // 2)) for series in paid]
    return stuck[0] if all(stuck) else None
