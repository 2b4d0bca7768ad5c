from runvitals.rules.kit import Hit, Patient, exceeds, number, rule
from runvitals.rules.kl import FAR_BEYOND, reference_kls
from runvitals.rules.learning_rate.used import rate_hint

CAUSES = (
    "KL coefficient too small for the reward",
    "learning rate too high",
    "over-optimised reward",
)


@rule(
    "KL004",
    needs=["policy/kl_ref|policy/kl_ref_sequence|policy/logprob_ref_mean"],
    excused_by_outcome=True,
    min_points=12,
)
def ref_kl_runaway(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """The policy drifts far away from its reference model.

    ## What it looks for
    The KL to the reference, or the distance between the log-probabilities of both models, is above
    the limit for a fifth of the run.

    - Per token, the limit is 0.1 for PPO that starts on the scale of the RL metrics table, and 1 for
      group-based methods, which go further without harm.
    - Per response, it is twice the controller's target, or else 6 nats, or 0.1 on the scale of the
      table.

    It is a warning if the outcome is not doing well (critical at ten times the limit), otherwise a
    notice. It is a warning, too, if the KL ends above 1 per token (60 per response), and nothing but
    the optimised reward says that the outcome is good.

    ## Why it matters
    The reference keeps the text readable and the reward model honest. Far from it the reward is an
    extrapolation, and apparent progress is often exploitation.

    ## Usual causes
    1. KL coefficient too small for the scale of the reward.
    2. The reward model is over-optimised.
    3. A wrong reference model: the KL is then high from the first update.
    4. Learning rate too high.
    5. Sum and mean over tokens confused.

    ## What to try
    Compare the held-out score per unit of KL and go back to the knee of the curve. Raise the
    coefficient. Check that policy and reference share weights, template and tokenizer at the start.

    ## When to ignore it
    The coefficient is 0, so the policy was not meant to stay close. A KL of exactly 0 in every
    update means that there is no KL term.

    ## Sources
    RL metrics table (0.01 to 0.1); Training Metrics Glossary; Gao et al. 2022 on over-optimisation;
    TRL's controllers aim at 6 per response.
    """
    for kl, bound, most, unit in reference_kls(patient, limit):
        found = exceeds(kl, bound)
        if found is None:
            continue
        independent = patient.outcome is not None and not patient.outcome.role.optimised
        bought = not independent and exceeds(kl, most, to_end=True) is not None
        gross = found.level > FAR_BEYOND * bound.value
        at_once = found.first == 0
        return found.hit(
            f"KL to the reference above {bound.value:g} {unit} in {found.count:,} updates since step "
            f"{found.step:,}, median {number(found.level, 3)}",
            advice="check that the reference is the model the policy started from"
            if at_once
            else f"raise the KL coefficient or lower the learning rate{rate_hint(patient)}, and "
            "compare a held-out score before and after the rise",
            causes=("wrong reference model, template or tokenizer",) * at_once + CAUSES,
            grave=gross,
            beyond_excuse=bought,
        )
    return None
