"""Rules about balance: do devices, ranks and replicas share the work?"""

import re
from typing import NamedTuple

import numpy as np

from runvitals.model import FloatArray, IntArray, Series
from runvitals.rules.patient import Patient
from runvitals.signals.pairs import at_common_steps

PLACES = re.compile(r"replica|expert|server|backend|worker|node|shard|route|queue|instance", re.I)
MIN_PLACES = 3  # two places are one number, and any split of it may be meant
ROUNDING = 0.05  # off 1 in all, where each share is rounded by itself


class Shares(NamedTuple):
    """The share of each place (rows) at each step."""

    names: tuple[str, ...]
    steps: IntArray
    table: FloatArray


def shares_of(patient: Patient) -> Shares | None:
    """How work is spread over replicas, servers or experts; None if the actions are something else."""
    found = [
        s
        for s in patient.all("policy/action_share")
        if "group" not in s.labels and PLACES.search(s.name)
    ]
    if len(found) < MIN_PLACES:
        return None
    common, table = at_common_steps(found)
    if not len(common):
        return None
    total = table.sum(axis=0)
    if not (np.abs(total - 1.0) < ROUNDING).all() or table.min() < -ROUNDING:
        return None
    return Shares(tuple(s.name for s in found), common, table)


def balance_penalty(patient: Patient) -> Series | None:
    """The part of the reward that punishes an uneven load."""
    for series in patient.all("reward/component_mean"):
        if "balance" in series.labels.get("component", series.name).lower():
            return series
    return None
