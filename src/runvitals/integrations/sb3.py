"""Stable-Baselines3 and sb3-contrib: `model.learn(..., callback=RunvitalsCallback())`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from runvitals.catalog import plain_algorithm
from runvitals.integrations.session import Adapter, AdapterSession, needed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

EVERY = 16  # optimizer steps between two looks: below 1% of an update of PPO with a small network


class GradientProbe:
    """Looks at every 16th step of some optimizers; `take` gives the means since it was last asked.

    The gradient is seen as `backward` leaves it, before anything clips it. Nothing waits for a device:
    the numbers stay there until they are recorded. Names of the optimizers are those of the metrics'
    groups: `optim` for a single one, `policy` and `value` for an actor and a critic.
    """

    def __init__(self, optimizers: Mapping[str, Any], *, every: int = EVERY) -> None:
        self._probes = {name: _Probe(one, every) for name, one in optimizers.items()}

    def take(self) -> dict[str, Any]:
        """The means since the last call, by metric name."""
        return {
            f"{name}/{what}"
            if what != "update_ratio" or name != "optim"
            else "net/update_ratio": value
            for name, probe in self._probes.items()
            for what, value in probe.take().items()
            if name == "optim" or what == "grad_norm"
        }

    def close(self) -> None:
        """Take all hooks away."""
        for probe in self._probes.values():
            probe.close()


class _Probe:
    def __init__(self, optimizer: Any, every: int) -> None:
        self._parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self._parameters = [p for p in self._parameters if p.requires_grad]
        self._every, self._steps, self._looks = every, 0, True
        self._norms: dict[int, Any] = {}
        self._before: list[Any] = []
        self._found: dict[str, list[Any]] = {}
        self._handles = [
            *(p.register_post_accumulate_grad_hook(self._seen) for p in self._parameters),
            optimizer.register_step_pre_hook(self._stepping),
            optimizer.register_step_post_hook(self._stepped),
        ]

    def _seen(self, parameter: Any) -> None:
        if self._looks:
            self._norms[id(parameter)] = parameter.grad.detach().norm()

    def _stepping(self, *_: Any) -> None:
        if self._looks:
            self._before = [p.detach().clone() for p in self._parameters]

    def _stepped(self, *_: Any) -> None:
        if self._looks and self._before:
            import torch

            now = [p.detach() for p in self._parameters]
            size = torch.nn.utils.get_total_norm(self._before)
            moved = torch.nn.utils.get_total_norm(torch._foreach_sub(now, self._before))
            found = {"param_norm": size, "update_norm": moved}
            if self._norms:
                found["grad_norm"] = torch.stack(list(self._norms.values())).norm()
            for name, value in found.items():
                self._found.setdefault(name, []).append(value)
        self._steps += 1
        self._looks = self._steps % self._every == 0
        self._before = []
        self._norms.clear()

    def take(self) -> dict[str, Any]:
        if not self._found:
            return {}
        import torch

        found, self._found = self._found, {}
        return {name: torch.stack(values).mean() for name, values in found.items()}

    def close(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []


needed("stable_baselines3", install="stable-baselines3")

from stable_baselines3.common.callbacks import BaseCallback  # noqa: E402
from stable_baselines3.common.logger import KVWriter  # noqa: E402

FRAMEWORK = "stable-baselines3"
MAX_ACTIONS = 20_000  # steps of all environments whose actions are kept between two logs
MAX_SHARES = 64  # discrete actions that are counted one by one
_NOT_SETTINGS = frozenset({"self", "env", "policy", "verbose", "device", "tensorboard_log"})


class RunvitalsWriter(KVWriter):
    """What SB3's logger is told, as a row of the run; for a logger of your own.

    `Logger(folder, output_formats=[RunvitalsWriter(run)])`; `RunvitalsCallback` adds one by itself.
    """

    def __init__(self, run: LiveRun, more: Any = None) -> None:
        self._run, self._more = run, more

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0
    ) -> None:
        """Record the numbers among what was logged, and what the callback measured since then."""
        values = {name: value for name, value in key_values.items() if _is_number(value)}
        if self._more is not None and any(not name.startswith("eval/") for name in values):
            values |= self._more(step)
        self._run.log(values, step=step)

    def close(self) -> None:
        """The run ends with the training."""


class RunvitalsCallback(Adapter, BaseCallback):
    """Records what SB3 logs, and what it does not.

    That is the model's settings as they are (also those not given), the spread of the returns of single
    episodes, how episodes end, which actions are taken, and the norms of gradients and updates.

    - `stop_on`: "critical" or "warning"; such a finding ends the training.
    - `gradients`, `actions`: leave these out with False.
    - `watch`: gradients per block, dead units and a check of the first steps, as `rv.watch` does.
    - `run` and everything else: where to record, see `runvitals.init`.
    """

    def __init__(
        self,
        *,
        run: LiveRun | None = None,
        stop_on: StopOn | None = None,
        gradients: bool = True,
        actions: bool = True,
        watch: bool = False,
        verbose: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(verbose)
        self._session = AdapterSession(
            FRAMEWORK, replaces="stable-baselines3", run=run, stop_on=stop_on, **options
        )
        self._wants_gradients, self._wants_actions, self._watch = gradients, actions, watch
        self._writer: RunvitalsWriter | None = None
        self._probe: GradientProbe | None = None
        self._actions: list[Any] = []
        self._episodes: list[dict[str, float]] = []

    def _on_training_start(self) -> None:
        kind = type(self.model).__name__
        settings = settings_of(self.model)
        run = self._session.begin(
            {**settings, "total_timesteps": self.locals.get("total_timesteps")},
            algorithm=plain_algorithm(kind) or kind,
            defaults={"project": settings.get("env_id") or kind.lower(), "name": kind.lower()},
            again=self.model.num_timesteps > 0,  # `learn(reset_num_timesteps=False)`
        )
        if total := self.locals.get("total_timesteps"):
            run.progress(total_steps=int(total))
        self._actions, self._episodes = [], []
        self._writer = RunvitalsWriter(run, self._measured)
        self.logger.output_formats.append(self._writer)
        optimizers = optimizers_of(self.model)
        if self._wants_gradients and optimizers:
            self._probe = GradientProbe(optimizers)
        if self._watch and optimizers:
            self._session.watch(self.model.policy, list(optimizers.values()))

    def _on_step(self) -> bool:
        seen = self.locals
        if self._wants_actions and len(self._actions) < MAX_ACTIONS and "actions" in seen:
            self._actions.append(seen["actions"])
        if np.any(seen.get("dones", False)):
            self._episodes += [_outcome(info) for info in seen["infos"] if "episode" in info]
        return not self._session.should_stop

    def _on_training_end(self) -> None:
        if self._writer in self.logger.output_formats:
            self.logger.output_formats.remove(self._writer)
        if self._probe is not None:
            self._probe.close()
            self._probe = None
        self._session.end()

    def _measured(self, step: int) -> dict[str, Any]:
        """What happened since the last row."""
        values: dict[str, Any] = dict(self._probe.take()) if self._probe is not None else {}
        episodes, self._episodes = self._episodes, []
        values |= spread_of(episodes)
        actions, self._actions = self._actions, []
        run = self._session.run
        if actions and run is not None:
            taken = np.concatenate([np.asarray(one) for one in actions])
            values |= actions_taken(taken, self.model.action_space)
            run.log_histogram("actions", taken, step)
        return values


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) or (
        getattr(value, "shape", None) == () and hasattr(value, "item")
    )


def _outcome(info: Mapping[str, Any]) -> dict[str, float]:
    episode = info["episode"]
    told = {"return": float(episode["r"]), "length": float(episode["l"])}
    told["terminated"] = float(not info.get("TimeLimit.truncated", False))
    if "is_success" in info:
        told["success"] = float(info["is_success"])
    return told


def spread_of(episodes: list[dict[str, float]]) -> dict[str, float]:
    """Returns and ends of the episodes since the last row; SB3 tells the mean of the last hundred."""
    if not episodes:
        return {}
    returns = np.array([one["return"] for one in episodes])
    values = {
        "outcome/episode_count": float(len(episodes)),
        "outcome/return_min": float(returns.min()),
        "outcome/return_max": float(returns.max()),
        "outcome/termination_rate": float(np.mean([one["terminated"] for one in episodes])),
    }
    if len(episodes) > 1:
        values["outcome/return_std"] = float(returns.std(ddof=1))
    return values


def actions_taken(actions: Any, space: Any) -> dict[str, float]:
    """Shares of discrete actions, level and limits of continuous ones."""
    kind = type(space).__name__
    if kind == "Discrete" and space.n <= MAX_SHARES:
        first = int(getattr(space, "start", 0))
        shares = np.bincount(actions.ravel().astype(int) - first, minlength=int(space.n))
        return {f"action_policy_{i}": float(s) for i, s in enumerate(shares / shares.sum())}
    if kind == "Box":
        return {
            "policy/action_mean": float(actions.mean()),
            "policy/action_min": float(actions.min()),
            "policy/action_max": float(actions.max()),
        }
    return {}


def optimizers_of(model: Any) -> dict[str, Any]:
    """The optimizers of a model by the group of metrics that they move."""
    actor = getattr(getattr(model, "actor", None), "optimizer", None)
    critic = getattr(getattr(model, "critic", None), "optimizer", None)
    if actor is not None and critic is not None:
        return {"policy": actor, "value": critic}
    single = getattr(getattr(model, "policy", None), "optimizer", None)
    return {} if single is None else {"optim": single}


def settings_of(model: Any) -> dict[str, Any]:
    """The arguments of the model's class with the values that this model has, and its environment."""
    settings: dict[str, Any] = {"algorithm": type(model).__name__}
    for name in inspect.signature(type(model).__init__).parameters:
        if name not in _NOT_SETTINGS and hasattr(model, name):
            settings |= _as_setting(name, getattr(model, name))
    settings["policy"] = getattr(model.policy_class, "__name__", str(model.policy_class))
    settings["device"] = str(model.device)
    return {**settings, **_environment(model)}


def _as_setting(name: str, value: Any) -> dict[str, Any]:
    """A schedule as its value at the start, and at the end where that differs."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: {key: getattr(one, "value", one) for key, one in value._asdict().items()}}
    if not callable(value) or isinstance(value, type):
        return {name: value}
    first, last = float(value(1.0)), float(value(0.0))
    return {name: first} if first == last else {name: first, f"{name}_at_end": last}


def _environment(model: Any) -> dict[str, Any]:
    env = model.get_env()
    told: dict[str, Any] = {
        "observation_space": str(model.observation_space),
        "action_space": str(model.action_space),
        "n_envs": model.n_envs,
    }
    try:
        spec = env.get_attr("spec", indices=0)[0]
    except Exception:  # noqa: BLE001 - an environment in another process may refuse in any way
        spec = None
    if spec is not None:
        told |= {"env_id": spec.id, "max_episode_steps": spec.max_episode_steps}
    while env is not None:
        if type(env).__name__ == "VecNormalize":
            told["vec_normalize"] = {
                key: getattr(env, key)
                for key in ("norm_obs", "norm_reward", "clip_obs", "clip_reward", "training")
            }
        env = getattr(env, "venv", None)
    return told
