"""DATA001."""

from collections.abc import Iterator

from runvitals.model import Hit, Span
from runvitals.rules.data._values import any_series
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

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


@rule("DATA001", "hyperparameters-not-logged", severity="notice")
def hyperparameters_not_logged(patient: Patient) -> Iterator[Hit]:
    """Settings that decide the result were not written down.

    ## What it looks for
    The settings that matter for this kind of training, learning rate and seed first, in the run's
    config. It is never more than a notice: it says nothing about how the run went.

    ## Why it matters
    A result whose settings are unknown can be neither reproduced nor compared, and limits that the run
    set itself (a target KL, a floor) cannot be checked.

    ## Usual causes
    1. The logger was started before the config was final.
    2. Only the command line was kept.
    3. The log was copied without the file of its settings.

    ## What to try
    Give the config to the logger: `runvitals.init(config=...)`.

    ## When to ignore it
    Settings that this algorithm does not have.

    ## Sources
    Training Metrics and Telemetry (what to track); "The 37 implementation details of PPO".
    """
    run = patient.run
    name, last = any_series(patient), run.last_step
    if not name or last is None:
        return
    wanted = [*ALWAYS, *BY_KIND.get(patient.kind, ())]
    if patient.algorithm.startswith(NO_CLIP):
        wanted = [key for key in wanted if key != "clip_range"]
    missing = [key for key in wanted if run.settings.get(key) is None]
    if patient.find("optim/learning_rate") is not None and "learning_rate" in missing:
        missing.remove("learning_rate")
    if not missing:
        return
    if not run.config:
        message = f"no settings were logged; {len(wanted)} are usual for this kind of training"
    else:
        message = f"{len(missing)} settings were not logged: {', '.join(missing)}"
    yield Hit(
        series=name,
        span=Span(last, last, 1),
        message=message,
        advice="give the config to the logger: runvitals.init(config=...)",
        causes=("the logger was started before the config was final",),
    )
