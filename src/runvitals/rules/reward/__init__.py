"""Rules about outcome and reward."""

from runvitals.rules.outcome.roles import HELD_OUT, ROLES
from runvitals.rules.patient import Patient
from runvitals.signals.late import late_mean

# outcomes of a task: neither losses nor measures on given pairs
LEARNED_BY_TRYING = frozenset(
    role.metric
    for role in ROLES
    if role.kind != "loss"
    and role.metric.removeprefix(HELD_OUT).split("/")[0]
    not in ("lm", "supervised", "preference", "rm")
)


def far_enough(patient: Patient) -> bool:
    """Whether half of the plan is done; without a plan, whether the run is not known to go on."""
    if patient.progress is not None:
        return patient.progress >= 0.5
    return patient.run.status != "running"


def unscored(patient: Patient) -> str:
    """That nearly all responses are cut off, as the first thing to check; empty if they are not."""
    share = patient.find("length/response_clip_ratio")
    late = 0.0 if share is None else late_mean(share.values)
    if not 0.9 <= late <= 1.0:
        return ""
    return (
        f"check whether responses contain an answer at all: {late:.0%} of them are cut off; then "
    )
