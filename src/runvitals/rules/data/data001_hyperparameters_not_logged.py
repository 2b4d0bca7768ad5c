from runvitals.rules.data import any_series
from runvitals.rules.kit import Hit, Patient, Span, counted, rule

ALWAYS = ("learning_rate", "seed")
BY_KIND = {
    "on-policy": ("clip_range", "gamma", "gae_lambda", "entropy_coef", "value_coef"),
    "off-policy": ("gamma", "batch_size", "buffer_size"),
    "llm-rl": ("kl_coef", "group_size", "max_response_length", "clip_range"),
    "preference": ("preference_beta", "batch_size"),
    "reward-model": ("batch_size",),
    "sft": ("batch_size",),
}
NO_CLIP = ("A2C", "REINFORCE", "VPG", "TRPO")


@rule("DATA001", severity="notice")
def hyperparameters_not_logged(patient: Patient) -> Hit | None:
    """Settings that decide the result were not logged.

    ## What it looks for
    The settings that matter for this kind of training, learning rate and seed first, in the run's
    config. This is never more than a notice, because it says nothing about how the run went.

    ## Why it matters
    A result with unknown settings can be neither reproduced nor compared. Limits that the run set
    for itself (a target KL, an entropy floor) cannot be checked.

    ## Usual causes
    1. The logger was started before the config was final.
    2. Only the command line was kept.
    3. The log was copied without its settings file.

    ## What to try
    Pass the config to the logger: `runvitals.init(config=...)`.

    ## When to ignore it
    The algorithm does not have these settings.

    ## Sources
    Training Metrics and Telemetry (what to track); "The 37 implementation details of PPO".
    """
    run = patient.run
    name, last = any_series(patient), run.last_step
    if not name or last is None:
        return None
    wanted = [*ALWAYS, *BY_KIND.get(patient.kind, ())]
    if patient.algorithm.startswith(NO_CLIP):
        wanted = [key for key in wanted if key != "clip_range"]
    missing = [key for key in wanted if run.settings.get(key) is None]
    if patient.find("optim/learning_rate") is not None and "learning_rate" in missing:
        missing.remove("learning_rate")
    if not missing:
        return None
    if not run.config:
        message = f"no settings were logged; this kind of training usually logs {len(wanted)}"
    else:
        verb = "was" if len(missing) == 1 else "were"
        message = f"{counted(len(missing), 'setting')} {verb} not logged: {', '.join(missing)}"
    return Hit(
        series=name,
        span=Span(last, last, 1),
        message=message,
        advice="pass the config to the logger: runvitals.init(config=...)",
        causes=("the logger was started before the config was final",),
    )
