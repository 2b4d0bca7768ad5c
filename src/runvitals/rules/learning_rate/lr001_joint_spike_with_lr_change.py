import numpy as np

from runvitals.rules.checks import spike_before
from runvitals.rules.kit import Detection, Hit, Patient, Series, number, rule

RATES = "optim/learning_rate|policy/learning_rate"
SIGNS = (
    ("policy/approx_kl", "policy/kl_old"),
    ("optim/grad_norm", "policy/grad_norm"),
    ("policy/clip_fraction",),
    ("lm/loss", "preference/loss", "rm/loss", "value/loss", "optim/loss"),
)
AFTER = 10  # points in which its consequences show (judgement)
HUGE = 10.0  # times all rates before: no schedule of the common libraries rises so in one go
TURNS = 9  # up, down and up again: more than warm-up, decay and restarts make (judgement)
SLACK = 1.5  # times as fast as a warm-up from 0: rounding, and steps counted from 0 or 1


@rule("LR001", needs=[RATES], excused_by_outcome=True, min_points=3)
def joint_spike_with_lr_change(patient: Patient, *, factor: float = 2.0) -> Hit | None:
    """The learning rate jumps, and loss, KL or gradient jump with it.

    ## What it looks for
    A learning rate that rises to more than `factor` (2) times its value from one point to the next,
    faster than a warm-up, which rises in proportion to the steps. One of these must hold:

    - At least two of KL, gradient norm, clip fraction and loss spike by the tenth point after it. A
      warning if the outcome is not doing well, otherwise a notice.
    - The rate jumps to ten times all rates before it. A warning whatever else happens, except in
      the first tenth of a run that is doing well, because some runs warm up at one low rate.

    A rate that goes up and down all the time is set by a controller, and does not count.

    ## Why it matters
    When several numbers jump together, the schedule is the first suspect and the easiest to fix.

    ## Usual causes
    1. A schedule with the wrong number of steps, or stepped once per micro-batch.
    2. A resume without the state of the schedule.
    3. A manual change.

    ## What to try
    Plot the rate against the schedule you intended. Restore the state of the schedule when you
    resume.

    ## When to ignore it
    Restarts of a cyclic schedule that you chose.

    ## Sources
    Training Metrics Glossary (if loss, KL and gradient spike together, check the schedule).
    """
    rate = patient[RATES]
    jump = _jump(rate, factor)
    if jump is None:
        return None
    last = min(len(rate) - 1, jump + AFTER)
    signs = [name for names in SIGNS if (name := _spiked(patient, names, int(rate.steps[last])))]
    before, after = float(rate.values[jump - 1]), float(rate.values[jump])
    huge = after >= HUGE * float(rate.values[:jump].max())
    if not huge and len(signs) < 2:
        return None
    step = int(rate.steps[jump])
    together = f", together with {' and '.join(signs)}" if signs else ""
    return Detection(rate, jump, last, after, before).hit(
        f"learning rate jumped from {number(before, 3)} to {number(after, 3)} "
        f"at step {step:,}{together}",
        advice="compare the rate with the schedule you intended; restore its state when you resume",
        causes=(
            "schedule with the wrong number of steps",
            "resume without the state of the schedule",
            "a manual change",
        ),
        also=tuple(signs),
        beyond_excuse=huge and step > 0.1 * (patient.planned_steps or patient.last_step),
    )


def _jump(rate: Series, factor: float) -> int | None:
    """The row of the largest jump upwards that is not part of a warm-up, nor made by a controller."""
    values, steps = rate.values, rate.steps.astype(np.float64)
    ways = np.sign(np.diff(values))
    if values.min() < 0 or np.count_nonzero(np.diff(ways[ways != 0])) >= TURNS:
        return None
    zero = min(0.0, steps[0] - 1)  # steps are counted from 1, or from where they begin
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(values[:-1] > 0, values[1:] / values[:-1], 0.0)
    warm_up = times <= SLACK * (steps[1:] - zero) / (steps[:-1] - zero)
    ramp = np.logical_and.accumulate(ways > 0)  # it rose at every point so far, and still rises
    warm_up[:-1] |= ramp[1:]
    times[warm_up] = 0.0
    at = int(np.argmax(times))
    return at + 1 if times[at] > factor else None


def _spiked(patient: Patient, names: tuple[str, ...], until: int) -> str | None:
    series = patient.find(*names)
    found = None if series is None else spike_before(series, until)
    return found.series if found is not None and found.suspect else None
