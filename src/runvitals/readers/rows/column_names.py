"""Names of columns that do not measure: the step, the time, and what a row is of (a seed, an agent)."""

import re
from functools import lru_cache

from runvitals.catalog.resolving.names import in_english

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
# Other names are read by their words: one of these, finest first, and nothing but what counts it.
_COUNTED = (
    {"step", "steps", "timestep", "timesteps", "interaction", "interactions", "interacts"},
    {"frame", "frames", "transition", "transitions"},
    {"update", "updates"},
    {"iteration", "iterations", "iter", "iters", "itr"},
    {"rollout", "rollouts", "cycle", "cycles"},
    {"episode", "episodes", "ep", "epi", "game", "games"},
    {"epoch", "epochs"},
    {"batch", "batches", "minibatch"},
    {"round", "rounds", "generation", "generations", "gen"},
)  # fmt: skip
_COUNTING = frozenset(
    "n nb num number no total global current cur count counter idx index id i env environment train "
    "training trained learn learner learning actor agent opt optim optimizer optimiser gradient grad "
    "policy so far done sampled collected lifetime cumulative cum seen taken played completed finished "
    "rl time fl communication comm outer main the of end start eval evaluation".split()
)
TIME_NAMES = (
    "_timestamp", "timestamp", "wall_time", "walltime", "unix_time", "time", "ts", "date",
    "datetime", "date_time", "created_at", "logged_at",
)  # fmt: skip
ELAPSED_NAMES = (
    "elapsed_time", "time_elapsed", "elapsed", "remaining_time", "total_time", "time_total_s",
    "_runtime", "runtime", "time_since_restore", "time_total",
)  # fmt: skip
# Names that as often mean how long an episode was.
LENGTH_NAMES = frozenset(
    "steps timesteps timestep numsteps nbsteps frames numframes totalsteps envsteps step".split()
)
_LETTERS = re.compile(r"[^a-z0-9]+")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(maxsize=65_536)
def normalized(name: str) -> str:
    """A name reduced to what is compared.

    >>> normalized("Total Timesteps")
    'totaltimesteps'
    """
    return _LETTERS.sub("", in_english(name).lower())


_TIMES = frozenset(normalized(name) for name in TIME_NAMES)
_ELAPSED = frozenset(normalized(name) for name in ELAPSED_NAMES)
_STEPS = {normalized(name): place for place, name in reversed(list(enumerate(STEP_NAMES)))}


@lru_cache(maxsize=65_536)
def step_order(name: str) -> int | None:
    """Rank of a step name, the most telling first; None if it is not one.

    >>> step_order("global_step"), step_order("n_episodes") > step_order("episode")
    (0, True)
    >>> step_order("Episode Number") == step_order("i_episode"), step_order("episode_length")
    (True, None)
    """
    last = name.rpartition("/")[2]
    found = min(
        _STEPS.get(normalized(name), len(_STEPS)), _STEPS.get(normalized(last), len(_STEPS))
    )
    if found < len(_STEPS):
        return found
    words = [word.lower() for word in _WORDS.findall(in_english(last))]
    counted = [kind for kind, names in enumerate(_COUNTED) if names & set(words)]
    if len(counted) != 1 or not all(word in _COUNTING | _COUNTED[counted[0]] for word in words):
        return None
    return len(STEP_NAMES) + counted[0]


def unit_of(step: str | None) -> int | None:
    """A number for what a column of steps counts, such as episodes; None if it does not say.

    >>> unit_of("episode") == unit_of("n_episodes"), unit_of("episode") == unit_of("epoch")
    (True, False)
    """
    words = {word.lower() for word in _WORDS.findall((step or "").rpartition("/")[2])}
    return next((kind for kind, names in enumerate(_COUNTED) if names & words), None)


def ends_in_counter(name: str) -> bool:
    """True if the last word of a name is something that is counted, as in `q_eval_episodes`."""
    words = _WORDS.findall(name.rpartition("/")[2])
    return bool(words) and any(words[-1].lower() in names for names in _COUNTED)


def is_step_name(name: str) -> bool:
    """True if a column of this name may be the step."""
    return step_order(name) is not None


def is_epoch_name(name: str) -> bool:
    """True if a column of this name counts passes over the data, in each of which much is logged."""
    known = ("epoch", "epochs", "epochnum", "numepoch", "numepochs")
    return normalized(name.rpartition("/")[2]) in known


def is_episode_name(name: str) -> bool:
    """True if a column of this name counts episodes."""
    words = {word.lower() for word in _WORDS.findall(in_english(name.rpartition("/")[2]))}
    return bool(words & {"episode", "episodes", "ep", "game", "games"}) and is_step_name(name)


def is_time_name(name: str) -> bool:
    """True if a column of this name may hold wall-clock times."""
    return normalized(name.rpartition("/")[2]) in _TIMES


def is_elapsed_name(name: str) -> bool:
    """True if a column of this name may hold durations since the start."""
    return normalized(name.rpartition("/")[2]) in _ELAPSED


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
    """True if the texts of a column of this name are worth keeping."""
    return bool(key_kind(name))
