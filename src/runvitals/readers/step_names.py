"""What loggers call the step, the time, and the time since the start."""

from __future__ import annotations

import re
from functools import lru_cache

# Names of the step column, most telling first. Letters and digits alone are compared, in lower case,
# for the whole name and for its last path segment: `time/total timesteps` is `totaltimesteps`.
STEP_NAMES = (
    "global_step", "_step", "step", "current_steps", "total_timesteps", "timesteps_total",
    "num_env_steps_sampled_lifetime", "total_env_interacts", "total_env_steps", "timesteps_so_far",
    "num_timesteps", "env_steps", "env_step", "environment_steps", "agent_steps", "timesteps",
    "timestep", "time_steps", "time_step", "total_steps", "total_steps_done", "steps", "nb_steps",
    "num_steps", "total_frames", "collected_frames", "num_frames", "frames", "frame",
    "training_steps", "training_step", "train_steps", "train_step", "learner_steps", "actor_steps",
    "nupdates", "n_updates", "num_updates", "updates", "update", "update_step", "iteration",
    "iterations", "training_iteration", "iter", "itr", "num_episodes", "episodes", "episode",
    "episodes_total", "epoch", "epochs", "batch", "batch_idx", "round",
)  # fmt: skip
TIME_NAMES = (
    "_timestamp", "timestamp", "wall_time", "walltime", "unix_time", "time", "ts", "date",
    "datetime", "date_time", "created_at", "logged_at",
)  # fmt: skip
ELAPSED_NAMES = (
    "elapsed_time", "time_elapsed", "elapsed", "remaining_time", "total_time", "time_total_s",
    "_runtime", "runtime", "time_since_restore", "time_total",
)  # fmt: skip
_LETTERS = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=65_536)
def plain(name: str) -> str:
    """A name reduced to what is compared.

    >>> plain("Total Timesteps")
    'totaltimesteps'
    """
    return _LETTERS.sub("", name.lower())


_TIMES = frozenset(plain(name) for name in TIME_NAMES)
_ELAPSED = frozenset(plain(name) for name in ELAPSED_NAMES)
_STEPS = frozenset(plain(name) for name in STEP_NAMES)


def is_step_name(name: str) -> bool:
    """Whether a column of this name may be the step."""
    return plain(name) in _STEPS or plain(name.rpartition("/")[2]) in _STEPS


def is_time_name(name: str) -> bool:
    """Whether a column of this name may hold wall-clock times."""
    return plain(name.rpartition("/")[2]) in _TIMES


def is_elapsed_name(name: str) -> bool:
    """Whether a column of this name may hold durations since the start."""
    return plain(name.rpartition("/")[2]) in _ELAPSED
