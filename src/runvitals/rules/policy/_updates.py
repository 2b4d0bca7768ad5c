"""What several rules ask about updates: how many a batch gets, and whether anything is learned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from runvitals.model import Series
from runvitals.signals.pairs import at_common_steps

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

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
