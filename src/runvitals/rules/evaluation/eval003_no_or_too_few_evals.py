from runvitals.rules.kit import Hit, Patient, counted, rule, stretch

TRAINED_ON = (
    "lm/loss", "preference/loss", "rm/loss", "reward/score_mean", "reward/mean", "policy/loss",
    "optim/loss",
)  # fmt: skip


@rule("EVAL003", severity="notice", needs=["|".join(TRAINED_ON)], families=["llm"], min_points=30)
def no_or_too_few_evals(patient: Patient, *, least: int = 5) -> Hit | None:
    """Too little, or nothing, was measured on held-out data.

    ## What it looks for
    A language model run with at least 30 rows and no evaluation, or with fewer than five (`least`)
    after 80% of the plan. Always a notice.

    ## Why it matters
    Without held-out numbers you cannot tell learning from memorising or from gaming the reward.
    Several rules cannot run.

    ## Usual causes
    1. Evaluation is switched off.
    2. The evaluation interval is in epochs, and there is only one epoch.

    ## What to try
    Evaluate every 5% of the run (`eval_strategy="steps"` and `eval_steps` in TRL, `test_freq` in
    veRL).

    ## When to ignore it
    Evaluation runs elsewhere.

    ## Sources
    Training Metrics Glossary (evaluate on held-out tasks); ftdoctor (41 of 88 public runs log
    none).
    """
    trained = patient["|".join(TRAINED_ON)]
    if patient.kind == "unknown":
        return None
    evaluations = max(
        (
            len(series)
            for metric in patient.run.metrics()
            if metric.startswith("eval/")
            if (series := patient.find(metric)) is not None
        ),
        default=0,
    )
    late = patient.progress is not None and patient.progress >= 0.8
    if evaluations and (evaluations >= least or not late):
        return None
    done = counted(evaluations, "evaluation") if evaluations else "no evaluations"
    return stretch(trained).hit(
        f"{done} in {len(trained):,} rows of training",
        advice="evaluate on held-out data every 5% of the run",
        causes=("evaluation is switched off", "the evaluation interval is in epochs"),
    )
