import numpy as np

from runvitals.rules.kit import SURE, Hit, Patient, rule, stretch
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.preference import chosen_answers, reference_free, samples_do_well

CLEAR, GROSS = 0.5, 2.0  # lost log-probability, of that at the start (judgement)
WITHOUT_REFERENCE = 3  # times as much: nothing holds the log-probability where it began (judgement)


@rule("DPO003", needs=["preference/chosen_logprob"], min_points=12)
def likelihood_displacement(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """The model finds even the chosen answers less and less likely.

    ## What it looks for
    The fall of the chosen log-probability from its best level, surely more than half (`limit`) of
    its size at the start, and more than 1 nat. It is critical from twice that size on, and a notice
    while a held-out score of samples is good. Without a reference it takes three times as much.

    ## Why it matters
    Both answers of a pair become unlikely, so probability moves to unwanted answers. A mild fall is
    normal in DPO. A deep one ends in garbage, or in harmful answers if refusals were trained.

    ## Usual causes
    1. The learning rate is too high, or there are too many epochs.
    2. The two answers of a pair are too similar.
    3. Chosen answers are unlike the model's own.
    4. No supervised term holds the chosen answers in place.
    5. Labels are swapped (DPO004).

    ## What to try
    Lower the learning rate. Add a supervised term on chosen answers (rpo_alpha, pref_ftx). Filter
    out pairs that are nearly the same. Raise beta.

    ## When to ignore it
    A mild fall with a growing margin and good samples.

    ## Sources
    Razin et al. (2024), likelihood displacement; DPO #8 and #32; TRL #800; LLaMA-Factory #6153.
    """
    chosen = chosen_answers(patient)
    if chosen is None:
        return None
    usual = CLEAR * (WITHOUT_REFERENCE if reference_free(patient) else 1)
    bound = patient.limit(limit, otherwise=usual, why="a mild fall is normal in DPO")
    lost, size, level = chosen.lost, chosen.size, chosen.level
    if float(np.mean(lost > max(1.0, bound.value * size))) < SURE:
        return None
    gross = float(np.mean(lost > max(GROSS, 2 * bound.value) * size)) > SURE
    well = samples_do_well(patient) and not bound.from_run
    return stretch(chosen.series, int(level.rows[: level.best_block].sum())).hit(
        f"chosen answers lost {float(np.median(lost)):.3g} nats of log-probability, starting "
        f"from {size:.3g}",
        advice=f"lower the learning rate{rate_hint(patient)}, "
        "or add a supervised term on the chosen answers",
        severity="notice" if well else "critical" if gross else "warning",
        causes=(
            "learning rate too high",
            "pairs too similar",
            "no supervised term on the chosen answers",
        ),
        limit=bound,
    )
