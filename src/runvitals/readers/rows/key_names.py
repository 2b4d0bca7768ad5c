"""Columns that do not measure, but say what a row is of: a seed, an agent, a split, a metric."""

from __future__ import annotations

from functools import lru_cache

from runvitals.readers.rows.step_names import normalized

# Each of these trained by itself: the rows are of several runs.
RUN_KEYS = frozenset(
    "seed randomseed run runid runhash runname runnumber exp experiment experimentname experimentid "
    "expname fold replicate repeat rep repetition trial trialid trialname algo algorithm alg method "
    "variant condition env envid envname environment task taskname model modelname config configname "
    "setting".split()
)
# These took part in one training: the rows are of several series, unless they are pooled.
PART_KEYS = frozenset(
    "agent agentid agentname agentidx agentindex player playerid policy policyid policyname worker "
    "workerid workername team teamid process processid localrank pid device gpu split phase mode set "
    "subset dataset partition type kind event eventtype source head layer component".split()
)
# Numbered copies that did the same in one training: their rows are of one series.
POOLED_KEYS = frozenset(
    "pid process processid worker workerid localrank device gpu env envid environment".split()
)
# Of these, the ones that say what kind of row it is, and not who it is of.
ROW_KINDS = frozenset(
    "split phase mode set subset dataset partition type kind event eventtype source".split()
)
# These name what was measured, in tables with one number to a row.
NAME_KEYS = ("metric", "metricname", "metrickey", "tag", "name", "key", "variable", "series", "measure",
             "scalar", "scalarname")  # fmt: skip
VALUE_NAMES = ("value", "val", "metricvalue", "scalarvalue", "values", "scalar", "y")
RANK = "rank"
SPLITS = frozenset(
    "train training val valid validation eval evaluation test testing dev holdout heldout".split()
)


@lru_cache(maxsize=65_536)
def key_kind(name: str) -> str:
    """What a column of this name tells apart: "run", "part", "name", "rank"; "" when nothing.

    >>> key_kind("Seed"), key_kind("agent_id"), key_kind("metric"), key_kind("loss")
    ('run', 'part', 'name', '')
    """
    short = normalized(name.rpartition("/")[2])
    if short in RUN_KEYS:
        return "run"
    if short in PART_KEYS:
        return "part"
    if short in NAME_KEYS:
        return "name"
    return "rank" if short == RANK else ""


def is_key_name(name: str) -> bool:
    """Whether the texts of a column of this name are worth keeping."""
    return bool(key_kind(name))
