"""The scheduler's settings as a JSON file: what may stand in it, and what is wrong with one.

    {
      "seed": 3,
      "temperature_control": {"qps_sensitivity": 0.2, "min_temperature": 0.6},
      "reward_config": {"beta": 0.1, "gamma": 0.2},
      "monitoring": {"tensorboard": true, "metrics_export_enabled": true, "log_interval": 5}
    }

A setting stands in its block or outside of all. `monitoring` decides what is written besides the
record itself, and never changes a number of the training.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from runvitals.lab.running import Case
from runvitals.lab.scheduler_learner import SchedulerConfig
from runvitals.model import ConfigError

BLOCKS: Mapping[str, tuple[str, ...]] = {
    "training": (
        "speeds", "load", "burst", "chunks", "updates_per_chunk", "num_clusters", "rollout_steps",
        "eval_every", "eval_requests", "final_requests", "checkpoint_dir",
    ),
    "ppo_config": (
        "epochs", "minibatches", "learning_rate", "learning_rate_end", "gamma", "gae_lambda",
        "clip_ratio", "value_clip_range", "value_coef", "max_grad_norm", "entropy_coef", "hidden",
    ),
    "step_adaptation": (
        "grad_spike_factor", "spike_lr_factor", "spike_batch_factor", "spike_levels",
        "spike_recovery",
    ),
    "reward_config": (
        "throughput_weight", "latency_weight", "latency_target", "reward_beta", "reward_gamma",
        "balance_weight", "reward_clip",
    ),
    "kl_regularization": (
        "target_kl", "kl_early_stop", "kl_coef", "kl_coef_min", "kl_coef_max", "entropy_min",
        "entropy_coef_max",
    ),
    "temperature_control": (
        "base_temperature", "min_temperature", "max_temperature", "qps_sensitivity",
        "latency_sensitivity", "pulse_patience", "pulse_updates", "pulse_factor",
    ),
    "statistics_stabilization": ("warm_start", "warm_start_rollouts", "warm_start_epochs"),
}  # fmt: skip
SHORT = {"reward_config": {"beta": "reward_beta", "gamma": "reward_gamma"}}  # inside their block
OF_THE_CASE = {  # not settings of the trainer, but of what it is asked to do
    "task": str | None,
    "fault": str | None,
    "strength": str,
    "onset": float,
    "variant": str | None,
    "names": str | None,
    "seed": int,
}
REMARKS = "comment"  # JSON has none, so this key is passed over wherever it stands
WHOLE_FILE = "scheduler_config.json"  # in an output folder: all of it, as the run was begun


@dataclass(frozen=True)
class Monitoring:
    """What is written besides the record itself, and how often, counted in updates."""

    tensorboard: bool = True
    tensorboard_interval: int = 1  # of scalars
    histogram_interval: int = 1  # of Actions/replica_* and the other histograms there
    metrics_export_enabled: bool = True  # metrics/*.csv
    metrics_export_interval: int = 1
    log_file: str = "ppo_training.log"  # "" writes none
    log_interval: int = 1

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name.endswith("_interval") and value < 1:
                told = f"monitoring: {one.name} must be at least 1, got {value}"
                raise ConfigError(told, hint="it counts updates; 1 writes every update")
        if self.log_file and Path(self.log_file).name != self.log_file:
            raise ConfigError(
                f"monitoring: log_file must be a file name without folders, got {self.log_file!r}",
                hint="the log is written into the output folder",
            )


@dataclass(frozen=True)
class ChosenSettings:
    """What a file of settings says."""

    case: Mapping[str, Any] = field(default_factory=dict)  # by the names of OF_THE_CASE
    settings: Mapping[str, Any] = field(default_factory=dict)
    monitoring: Mapping[str, Any] = field(default_factory=dict)

    def over(self, before: ChosenSettings) -> ChosenSettings:
        """Both together; where they disagree, this one counts."""
        return ChosenSettings(
            {**before.case, **self.case},
            {**before.settings, **self.settings},
            {**before.monitoring, **self.monitoring},
        )

    def as_case(self) -> Case:
        """What to train."""
        return Case("scheduler", settings=self.settings, **self.case)


def read_settings(path: Path) -> ChosenSettings:
    """The settings in a JSON file; everything that is wrong with it is a `ConfigError`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        told = f"cannot read the settings: {error.msg} (line {error.lineno}, column {error.colno})"
        raise ConfigError(told, where=path, hint="the file must hold one JSON object") from error
    except UnicodeDecodeError as error:
        raise ConfigError("cannot read the settings: not a text in UTF-8", where=path) from error
    except OSError as error:
        raise ConfigError(
            f"cannot read the settings: {error.strerror or error}", where=path
        ) from error
    if not isinstance(content, dict):
        raise ConfigError(
            "cannot read the settings: the file must hold one JSON object", where=path
        )
    try:
        return chosen_from(content)
    except ConfigError as error:
        raise ConfigError(error.what, where=path, hint=error.hint) from None


def chosen_from(content: Mapping[str, Any]) -> ChosenSettings:
    """The same from an object in memory, as `--set` gives it too."""
    case: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    monitoring: dict[str, Any] = {}
    for block, name, value in _entries(content):
        if block == "monitoring":
            target, kind = monitoring, _kind(MONITORING, name, block)
        elif block == "" and name in OF_THE_CASE:
            target, kind = case, OF_THE_CASE[name]
        elif block == "" and name in MONITORING:
            target, kind = monitoring, MONITORING[name]
        else:
            name = SHORT.get(block, {}).get(name, name)
            target, kind = settings, _kind(SETTINGS, name, block)
        if name in target:
            raise ConfigError(f"{name} is set twice", hint="leave one of the two out")
        target[name] = checked(name, value, kind, block)
    Monitoring(**monitoring)  # says what is wrong with it
    return ChosenSettings(case, settings, monitoring)


def _entries(content: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Block, name and value of each entry."""
    for name, value in content.items():
        if name == REMARKS:
            continue
        if name not in BLOCKS and name != "monitoring":
            yield "", name, value
            continue
        if not isinstance(value, dict):
            raise ConfigError(f"{name} must be an object, got {json.dumps(value)}")
        for inner, found in value.items():
            if inner != REMARKS:
                yield name, inner, found


def as_content(chosen: ChosenSettings) -> dict[str, Any]:
    """A JSON object that reads back as what was chosen, each setting in its block."""
    blocks = {
        block: {name: chosen.settings[name] for name in names if name in chosen.settings}
        for block, names in BLOCKS.items()
    }
    return {
        **{name: value for name, value in chosen.case.items() if value is not None},
        **{block: inside for block, inside in blocks.items() if inside},
        "monitoring": asdict(Monitoring(**chosen.monitoring)),
    }


# what kind of value each setting takes


MONITORING: dict[str, Any] = get_type_hints(Monitoring)
SETTINGS: dict[str, Any] = {
    name: kind for name, kind in get_type_hints(SchedulerConfig).items() if name != "seed"
}
WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def _kind(known: Mapping[str, Any], name: str, block: str) -> Any:
    allowed = (*BLOCKS[block], *SHORT.get(block, {})) if block in BLOCKS else tuple(known)
    if name in allowed:
        return known[name]
    where = f"{block} has no setting" if block else "the scheduler has no setting"
    home = next((other for other, names in BLOCKS.items() if name in names), None)
    if block and home is not None:
        raise ConfigError(f"{where} {name!r}", hint=f"it belongs to {home}")
    everything = allowed if block else (*known, *OF_THE_CASE, *MONITORING, *BLOCKS, "monitoring")
    close = difflib.get_close_matches(name, everything, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(sorted(allowed))}"
    raise ConfigError(f"{where} {name!r}", hint=hint)


def checked(name: str, value: Any, kind: Any, block: str = "") -> Any:
    """The value, if it is of the kind that the setting takes."""
    choices = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    if value is None and type(None) in choices:
        return None
    for choice in choices:
        if get_origin(choice) is tuple:
            inner = get_args(choice)[0]
            if isinstance(value, list | tuple) and all(_is(one, inner) for one in value):
                return tuple(inner(one) for one in value)
        elif choice is not type(None) and _is(value, choice):
            return choice(value)
    place = f"{block}: " if block else ""
    try:
        shown = json.dumps(value)
    except (TypeError, ValueError):
        shown = repr(value)
    raise ConfigError(f"{place}{name} must be {_in_words(choices)}, got {shown}")


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        whole = isinstance(value, float) and value.is_integer()
        return (isinstance(value, int) and not isinstance(value, bool)) or whole
    return isinstance(value, kind)


def _in_words(choices: tuple[Any, ...]) -> str:
    words = []
    for choice in choices:
        if get_origin(choice) is tuple:
            words.append("a list of " + ("whole numbers" if int in get_args(choice) else "numbers"))
        else:
            words.append("null" if choice is type(None) else WORDS[choice])
    return " or ".join(words)
