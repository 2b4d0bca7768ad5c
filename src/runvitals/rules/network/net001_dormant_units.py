"""NET001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.baseline import ratio_to_reference
from runvitals.signals.late import QUARTER, late, late_median
from runvitals.signals.trend import trend

DORMANT = (
    "net/dormant_fraction|net/dormant_frac|net/dormant_ratio|dormant_fraction|dormant_ratio"
    "|dead_neurons|net/dead_fraction"
)
RANK = ("net/effective_rank", "effective_rank")
MIN_SHARES, MIN_RANKS = 12, 30  # points (judgement)
HALF_DORMANT = 0.5  # of the units: what is left is another, smaller network (judgement)
LOST, LASTS = 0.5, 10  # of the early rank, at this many points at the end (judgement)


@rule(
    "NET001",
    "dormant-units",
    severity="notice",
    needs=[f"{DORMANT}|{'|'.join(RANK)}"],
    families=["rl"],
    preview=True,
)
def dormant_units(patient: Patient, *, limit: float = 0.25) -> Iterator[Hit]:
    """A large part of the network no longer responds to its input.

    ## What it looks for
    Either of these:

    - The logged share of dormant units (0 to 1) is above 0.25 (`limit`) over the last quarter of
      the run and rising, or above 0.5. It is a warning above 0.5 if the outcome is not doing well,
      otherwise a notice.
    - The effective rank of the features has lost half of its early value. It is a warning if the
      outcome is not doing well, otherwise a notice.

    ## Why it matters
    Units that stay silent stop learning. The network loses its ability to follow new targets.

    ## Usual causes
    1. Targets that keep changing.
    2. Many updates per sample.
    3. A learning rate so large that ReLU units died.

    ## What to try
    Add layer norm, make fewer updates per sample, reset dormant units now and then, or lower the
    learning rate.

    ## When to ignore it
    Networks much wider than the task needs.

    ## Sources
    Sokar et al., "The dormant neuron phenomenon" (2023); RLExplorer; SageMaker Debugger (dead
    ReLU).
    """
    share = patient.find(*DORMANT.split("|"))
    sick = patient.health.struggles
    if share is not None and len(share) >= MIN_SHARES:
        level = late_median(share.values, QUARTER)
        plausible = float(share.values.min()) >= 0 and float(share.values.max()) <= 1.0
        if plausible and level > limit and (level > HALF_DORMANT or trend(share.values).up):
            severity: Severity = "warning" if sick and level > HALF_DORMANT else "notice"
            yield Hit(
                series=share.name,
                span=share.span(len(share) - len(late(share.values, QUARTER))),
                message=f"{level:.0%} of the units are dormant",
                advice="add layer norm, or make fewer updates per sample",
                severity=severity,
                causes=(
                    "targets that keep changing",
                    "many updates per sample",
                    "learning rate too high",
                ),
                limit=Limit(limit, "a quarter of the network"),
            )
            return
    rank = patient.find(*RANK)
    if rank is not None and len(rank) >= MIN_RANKS:
        ratio = ratio_to_reference(rank.values)
        if np.isfinite(ratio[-1]) and float(np.max(ratio[-LASTS:])) < LOST:
            yield Hit(
                series=rank.name,
                span=rank.span(len(rank) - LASTS),
                message=f"effective rank of the features fell to {ratio[-1]:.0%} of its early value",
                advice="add layer norm, or make fewer updates per sample",
                severity="warning" if sick else "notice",
                causes=("targets that keep changing", "many updates per sample"),
            )
