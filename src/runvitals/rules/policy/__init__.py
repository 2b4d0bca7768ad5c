"""Rules about what an update does to the policy."""

import re
from math import log

import numpy as np

from runvitals.model import Series
from runvitals.rules.patient import Patient
from runvitals.signals.pairs import at_common_steps

ONE_STEP = ("A2C", "A3C", "REINFORCE", "VPG", "RLOO", "GRPO", "DAPO", "TRPO")
NEW_BATCH_EACH = ("A2C", "A3C", "REINFORCE", "VPG")
DECIMALS = 4  # logs of some tools keep no more; then 0.000 is not zero


def one_update_per_batch(patient: Patient, *, if_unknown: bool | None = None) -> bool:
    """Whether the policy that is updated may be the one that sampled: then KL and clipping are 0.

    Said to be so unless the log or the config shows several updates for one batch. Several updates
    between two rows of a log are not that: A2C and its kin take a new batch for each. `if_unknown`:
    the answer where nothing tells; else it is yes except for on-policy control.
    """
    if patient.algorithm.startswith(NEW_BATCH_EACH) and patient.kind == "on-policy":
        return True
    updates = patient.find("optim/updates_per_iteration")
    if updates is not None:
        return float(np.median(updates.values)) <= 1.0
    epochs = patient.number("epochs_per_batch")
    pieces = patient.number("num_minibatches")
    if (epochs or 1.0) > 1.0 or (pieces or 1.0) > 1.0:
        return False
    batch, minibatch = patient.number("batch_size"), patient.number("minibatch_size")
    if batch and minibatch and minibatch < batch:
        return False
    if epochs is not None or patient.algorithm.startswith(ONE_STEP):
        return True
    return patient.kind != "on-policy" if if_unknown is None else if_unknown


def log_is_rounded(patient: Patient) -> bool:
    """Whether the log keeps so few decimals that a small number reads as 0."""
    return patient.whole.once(_keeps_few_decimals)


def _keeps_few_decimals(patient: Patient) -> bool:
    """Whether four in five of the first series with fractions have few decimals."""
    coarse = fine = 0
    for name in patient.run.names()[:40]:
        series = patient.raw(name)
        values = np.empty(0) if series is None else series.values[:200]
        values = values[np.abs(values) < 1e6]  # larger ones have too few decimals to tell
        if np.any(values != np.round(values)):
            few = bool(np.all(np.abs(values - np.round(values, DECIMALS)) < 1e-7))
            coarse, fine = coarse + few, fine + (not few)
    return coarse > 0 and coarse >= 4 * fine


def action_counts(patient: Patient) -> tuple[list[Series], np.ndarray] | None:
    """The series of all actions, and their shares at the steps they have in common; None if unclear."""
    series = [one for one in patient.all("policy/action_share") if _action(one) is not None]
    if len(series) < 2 or len({_group(one) for one in series}) > 1:
        return None
    common, rows = at_common_steps(series)
    if not len(common):
        return None
    table = rows.T
    total = table.sum(axis=1, keepdims=True)
    if (table < 0).any() or (total <= 0).any():
        return None
    return series, table / total


def _action(series: Series) -> str | None:
    labelled = series.labels.get("action")
    if labelled is not None:
        return labelled
    found = re.search(r"action=([^,}]+)", series.name) or re.search(r"(\d+)$", series.name)
    return found.group(1) if found else None


def _group(series: Series) -> tuple[str, ...]:
    """What tells one set of actions from another: several heads are several sets."""
    rest = {key: value for key, value in series.labels.items() if key != "action"}
    return tuple(sorted(f"{key}={value}" for key, value in rest.items()))


HELD_OUT_LOSSES = ("eval/loss", "eval/lm/loss", "eval/preference/loss", "eval/rm/loss")
MOVES = ("optim/update_norm", "policy/approx_kl", "policy/kl_ref")
MIN_EVALUATIONS = 5  # one stale number is a hiccup of the log
MIN_POINTS = 20
MOVED = 1e-7  # beyond what rounding makes of 0
DRIFT = 0.25  # of the size of an outcome: a smaller gain may be chance (judgement)
EVEN = 0.01  # of an entropy; runs that learn leave it within a few updates
MAX_ACTIONS = 10  # of more, the entropy may just as well be that of a Gaussian


def gain_may_be_drift(patient: Patient) -> bool:
    """Whether a gain of the outcome is so small beside its size that nothing need be learned for it."""
    outcome = patient.outcome
    if outcome is None or patient.health.early or patient.health.solved:
        return False
    if patient.progress is not None and patient.progress < 0.5:
        return False
    course = outcome.course
    return course.best - course.start < DRIFT * max(abs(course.start), abs(course.best))


def chooses_evenly_among(patient: Patient) -> int | None:
    """How many actions a policy still chooses among by chance, as at its start; None if it does not.

    The entropy of an untrained one is the logarithm of a whole number.
    """
    entropy = patient.find("policy/entropy")
    if entropy is None or patient.kind != "on-policy" or len(entropy) < MIN_POINTS:
        return None
    if patient.continuous:
        return None
    first = float(entropy.values[0])
    actions = round(np.exp(min(first, log(2 * MAX_ACTIONS))))
    if not 1 < actions <= MAX_ACTIONS or abs(first - log(actions)) > EVEN * log(actions):
        return None
    now = float(np.mean(entropy.values[-(len(entropy) // 4) :]))
    return actions if now > (1 - EVEN) * log(actions) else None


def moves(patient: Patient, since: int = 0) -> bool:
    """Whether something says that the model changes after a step."""
    return any(
        float(np.median(np.abs(late))) > MOVED
        for metric in MOVES
        if (series := patient.find(metric)) is not None
        and len(late := series.values[series.steps > since])
    )


def never_moved(patient: Patient) -> Series | None:
    """A held-out loss that is the same number at every evaluation, to the last of many digits.

    It is taken over the same examples each time, so that any step of the optimizer would show in it,
    unless it does not depend on the model at all: ln 2 is the loss of pairs without a difference.
    A norm of the parameters that stands still says the same only if nothing is learned: steps across
    the weights hardly change their norm, and 32 bits may not hold it.
    """
    norm = patient.find("optim/param_norm")
    if norm is not None and (len(norm) < MIN_POINTS or not _same(norm)):
        return None
    for metric in HELD_OUT_LOSSES:
        loss = patient.find(metric)
        if loss is not None:
            told = norm is not None or abs(float(loss.values[0]) - log(2)) > 1e-6
            return loss if len(loss) >= MIN_EVALUATIONS and _same(loss) and told else None
    return None if patient.health.good or moves(patient) else norm


def _same(series: Series) -> bool:
    """Whether it is one number of at least six digits; with fewer a small change would not show."""
    values = series.values
    if values[0] == 0.0 or np.ptp(values) > 1e-12 * abs(float(values[0])):
        return False
    return float(f"{values[0]:.5g}") != float(values[0])
