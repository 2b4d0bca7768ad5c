from runvitals.rules.kit import Hit, Patient, rule, short_number
from runvitals.rules.value import promises_too_much

QS = (
    "value/q_max", "value/q_abs_mean", "value/q_mean", "value/q_target_max", "value/q_target_mean",
)  # fmt: skip
ABSURD = 10.0  # times what was ever earned: whatever the outcome does (judgement)


@rule(
    "VAL006",
    severity="critical",
    verdict="diverged",
    needs=["|".join(QS)],
    families=["off-policy"],
    excused_by_outcome=True,
    min_points=20,
)
def q_divergence(patient: Patient) -> Hit | None:
    """Q values promise more than any episode could pay: the critic feeds on its own errors.

    ## What it looks for
    Q values that have grown to more than 3 times the returns of the last fifth of the run. It is
    critical while the outcome is not doing well. While it is doing well, it is a notice, and a
    warning from 10 times on.

    ## Why it matters
    The maximum over noisy estimates is too high, and bootstrapping passes it on. Once Q values
    leave the range of possible returns, the policy follows errors.

    ## Usual causes
    1. Targets are bootstrapped across the end of episodes: the terminal mask is missing.
    2. The target network is updated at every step, or never.
    3. The learning rate is too high.
    4. The scale of rewards.

    ## What to try
    Check the mask and the target update. Use two critics or double Q-learning. Clip rewards.

    ## When to ignore it
    Rewards with an entropy bonus that is not part of the logged return.

    ## Sources
    RLExplorer's checks of agent and target; DRLinter; RLMutation (missing terminal state kills
    DQN).
    """
    q = patient["|".join(QS)]
    found = promises_too_much(patient, q)
    return found and found.hit(
        f"Q values reach {short_number(q.last)}, {short_number(found.level)} times what is earned",
        advice="check the mask at episode ends and the target update, then lower the learning rate",
        causes=(
            "terminal mask missing",
            "target network updated at every step or never",
            "learning rate too high",
        ),
        severity="warning" if patient.health.good and found.level > ABSURD else None,
    )
