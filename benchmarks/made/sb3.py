"""Runs of Stable-Baselines3: PPO, A2C, DQN, SAC and TD3."""

from __future__ import annotations

import warnings
import zlib
from pathlib import Path
from typing import Any

from benchmarks.made.programs import Outcome, Program, World
from benchmarks.made.worlds import (
    ACROBOT,
    CARTPOLE,
    CATCH,
    CLIFF,
    CORRIDOR,
    FROZENLAKE,
    MAZE,
    PENDULUM,
    REACH,
    SHOP,
    THERMOSTAT,
)

EPISODES = 30  # for the return of the finished policy
SINKS = (  # what a user has switched on; each run leaves one of these
    ("csv", "monitor"),
    ("tensorboard",),
    ("csv", "tensorboard"),
    ("log",),
    ("json", "monitor"),
    ("csv",),
)

DEFAULTS: dict[str, dict[str, Any]] = {
    "PPO": {"n_steps": 128, "batch_size": 256, "learning_rate": 1e-3, "n_epochs": 6},
    "A2C": {"n_steps": 8, "learning_rate": 1e-3},
    "DQN": {
        "learning_rate": 1e-3,
        "learning_starts": 500,
        "buffer_size": 20_000,
        "target_update_interval": 200,
        "batch_size": 64,
        "exploration_fraction": 0.4,
    },
    "SAC": {"learning_rate": 1e-3, "learning_starts": 300, "train_freq": 2, "batch_size": 64},
    "TD3": {"learning_rate": 1e-3, "learning_starts": 300, "train_freq": 2, "batch_size": 64},
}
ON_POLICY = ("PPO", "A2C")

LR = ("KL001", "KL002", "POL001", "ENT001", "CLIP001", "VAL001", "VAL006", "DATA007", "LR002")
FLAT = ("REW005", "REW006", "ENT004")
STILL = ("POL002", "KL003", "CLIP002", "GRAD003", "DATA007", "LR002")
WORSE = ("REW011", "REW003")
NO_SIGNAL = ("REW004", "REW001", "ADV001", "VAL003")
JUMP = ("REW003", "EVAL001", "KL002", "POL001", "KL007", "LR001", "LR002")
GAP = ("EVAL002", "EVAL001", "EVAL004")
LARGE = ("REW012", "VAL001", "VAL002", "VAL003", *FLAT)
CRITIC = ("VAL002", "VAL003", *FLAT)
COLD = ("ENT001", "ENT002", "REW004", *FLAT)
NO_CLIP = {"clip_range": 0.9, "n_epochs": 30, "learning_rate": 0.01}


def _healthy(
    algorithm: str, world: World, steps: int, variant: str = "healthy", seeds: int = 3, **more: Any
) -> Program:
    first = zlib.crc32(f"{algorithm}{world.name}{variant}".encode()) % 90 + 10
    enough = more.pop("enough", 0.9)
    return Program(
        "sb3",
        algorithm,
        world,
        variant,
        settings={"steps": steps, **more},
        seeds=tuple(range(first, first + seeds)),
        enough=enough,
    )


def _sick(
    algorithm: str,
    world: World,
    steps: int,
    variant: str,
    expected: tuple[str, ...],
    seeds: int = 1,
    **more: Any,
) -> Program:
    healthy = _healthy(algorithm, world, steps, variant, seeds, **more)
    return Program(
        "sb3",
        algorithm,
        world,
        variant,
        fault=True,
        expected=expected,
        settings=healthy.settings,
        seeds=healthy.seeds,
    )


PROGRAMS = (
    # healthy, plain and awkward
    _healthy("PPO", CARTPOLE, 40_000, evals=10, hyper={"n_epochs": 10}),
    _healthy("PPO", CARTPOLE, 40_000, "no-evaluation", hyper={"gamma": 0.98, "n_epochs": 10}),
    _healthy("PPO", CARTPOLE, 25_000, "warm-start", warm=40_000, seeds=2),
    _healthy("PPO", CARTPOLE, 20_000, "short", enough=0.15, seeds=2),
    _healthy("A2C", CARTPOLE, 50_000, seeds=2, enough=0.6),
    _healthy("DQN", FROZENLAKE, 20_000, evals=8, seeds=2),
    _healthy("PPO", FROZENLAKE, 40_000, hyper={"ent_coef": 0.01}, seeds=3),
    _healthy("PPO", REACH, 40_000, hyper={"gamma": 0.9}, evals=5, seeds=2),
    _healthy("SAC", REACH, 4_000, hyper={"gamma": 0.9}, seeds=2),
    _healthy("TD3", REACH, 4_000, hyper={"gamma": 0.9}, seeds=2),
    _healthy("PPO", SHOP, 30_000, "noisy", hyper={"gamma": 0.0, "gae_lambda": 0.0}, seeds=3),
    _healthy("SAC", PENDULUM, 5_000, hyper={"train_freq": 1, "gamma": 0.95}, seeds=2),
    _healthy("PPO", ACROBOT, 40_000, evals=6, seeds=2),
    _healthy("PPO", CATCH, 40_000, seeds=3),
    _healthy("DQN", CATCH, 15_000, evals=4, seeds=2),
    _healthy("PPO", CATCH, 25_000, "warm-start", warm=40_000, seeds=2),
    _healthy("PPO", CATCH, 60_000, "long-plateau", evals=15, seeds=2),
    _healthy("DQN", CLIFF, 25_000, hyper={"learning_rate": 3e-3}, seeds=2),
    _healthy("PPO", THERMOSTAT, 40_000, hyper={"gamma": 0.9}, seeds=2),
    _healthy("SAC", THERMOSTAT, 4_000, hyper={"gamma": 0.9}, evals=5, seeds=2),
    _healthy("PPO", CORRIDOR, 50_000, "late-success", hyper={"ent_coef": 0.02}, seeds=3),
    _healthy("PPO", MAZE, 40_000, evals=3, seeds=2),
    _healthy("DQN", MAZE, 20_000, seeds=2),
    # with a fault
    _sick("PPO", CARTPOLE, 25_000, "lr-0.3", LR, seeds=2, hyper={"learning_rate": 0.3}),
    _sick("PPO", CARTPOLE, 25_000, "lr-zero", STILL, hyper={"learning_rate": 0.0}, evals=6),
    _sick("PPO", CARTPOLE, 25_000, "lr-1e-7", STILL, hyper={"learning_rate": 1e-7}),
    _sick("PPO", CARTPOLE, 25_000, "flipped", WORSE, seeds=2, env={"scale": -1.0}),
    _sick(
        "PPO",
        CARTPOLE,
        50_000,
        "lr-jump",
        JUMP,
        seeds=2,
        lr_jump=0.5,
        evals=10,
        hyper={"n_epochs": 10},
    ),
    _sick("PPO", CARTPOLE, 40_000, "eval-broken", GAP, seeds=2, evals=10, eval="one-action"),
    _sick("PPO", CARTPOLE, 40_000, "not-normalised", GAP, evals=10, eval="raw", normalise=True),
    _sick("A2C", CARTPOLE, 30_000, "lr-0.3", LR, hyper={"learning_rate": 0.3}),
    _sick("A2C", CARTPOLE, 30_000, "gamma-0", (*FLAT, "VAL003"), hyper={"gamma": 0.0}),
    _sick("DQN", CARTPOLE, 15_000, "target-never", ("VAL006", *FLAT), target_never=True),
    _sick("DQN", CARTPOLE, 15_000, "replay-tiny", FLAT, hyper={"buffer_size": 70}),
    _sick("PPO", FROZENLAKE, 25_000, "reward-zero", NO_SIGNAL, seeds=2, env={"scale": 0.0}),
    _sick("DQN", FROZENLAKE, 10_000, "no-exploration", FLAT, no_exploration=True),
    _sick("PPO", FROZENLAKE, 25_000, "entropy-1", FLAT, hyper={"ent_coef": 1.0}),
    _sick("PPO", REACH, 25_000, "flipped", WORSE, env={"scale": -1.0}, evals=6),
    _sick("PPO", REACH, 25_000, "lr-0.3", LR, hyper={"learning_rate": 0.3, "gamma": 0.9}),
    _sick("SAC", REACH, 4_000, "blind", FLAT, env={"blind": True}),
    _sick("TD3", REACH, 4_000, "lr-0.5", LR, hyper={"learning_rate": 0.5}),
    _sick("PPO", SHOP, 25_000, "blind", FLAT, env={"blind": True}),
    _sick("SAC", PENDULUM, 4_000, "gamma-0", FLAT, hyper={"gamma": 0.0}),
    _sick("PPO", ACROBOT, 25_000, "lr-0.3", LR, hyper={"learning_rate": 0.3}),
    _sick("PPO", ACROBOT, 25_000, "lr-zero", STILL, hyper={"learning_rate": 0.0}),
    _sick("DQN", ACROBOT, 12_000, "flipped", WORSE, env={"scale": -1.0, "shift": -1.0}),
    _sick("PPO", CATCH, 25_000, "flipped", WORSE, seeds=2, env={"scale": -1.0}),
    _sick("PPO", CATCH, 25_000, "blind", FLAT, seeds=2, env={"blind": True}),
    _sick("PPO", CATCH, 50_000, "lr-jump", JUMP, seeds=2, lr_jump=1.0),
    _sick(
        "PPO",
        CATCH,
        25_000,
        "wild-updates",
        LR,
        hyper={"n_epochs": 50, "clip_range": 0.9, "learning_rate": 0.03},
    ),
    _sick("DQN", CATCH, 12_000, "lr-1", LR, hyper={"learning_rate": 1.0}),
    _sick("PPO", CATCH, 25_000, "eval-broken", GAP, evals=10, eval="one-action"),
    _sick("PPO", CLIFF, 25_000, "reward-constant", NO_SIGNAL, env={"scale": 0.0, "shift": -1.0}),
    _sick("PPO", CLIFF, 25_000, "lr-1e-7", STILL, hyper={"learning_rate": 1e-7}),
    _sick("PPO", THERMOSTAT, 25_000, "lr-0.5", LR, hyper={"learning_rate": 0.5}, evals=6),
    _sick("SAC", THERMOSTAT, 4_000, "flipped", WORSE, env={"scale": -1.0}),
    _sick(
        "PPO",
        THERMOSTAT,
        25_000,
        "not-normalised",
        GAP,
        evals=8,
        eval="raw",
        normalise=True,
        hyper={"gamma": 0.9},
    ),
    _sick("PPO", CORRIDOR, 25_000, "lr-1e-6", STILL, seeds=2, hyper={"learning_rate": 1e-6}),
    _sick("DQN", CORRIDOR, 10_000, "no-exploration", NO_SIGNAL, no_exploration=True),
    _sick("PPO", MAZE, 25_000, "lr-0.3", LR, hyper={"learning_rate": 0.3}),
    _sick("DQN", MAZE, 12_000, "replay-tiny", FLAT, hyper={"buffer_size": 70}),
    _sick("PPO", CARTPOLE, 25_000, "reward-1e4", LARGE, env={"scale": 1e4}),
    _sick("PPO", CARTPOLE, 25_000, "critic-untrained", CRITIC, hyper={"vf_coef": 0.0}),
    _sick("PPO", CARTPOLE, 20_000, "gamma-0", FLAT, hyper={"gamma": 0.0}),
    _sick("PPO", CARTPOLE, 20_000, "clip-0.9", LR, hyper=NO_CLIP),
    _sick("PPO", FROZENLAKE, 20_000, "entropy-penalty", COLD, hyper={"ent_coef": -0.2}),
    _sick("PPO", ACROBOT, 20_000, "reward-1e4", LARGE, env={"scale": 1e4}),
    _sick("PPO", ACROBOT, 20_000, "critic-untrained", CRITIC, hyper={"vf_coef": 0.0}),
    _sick("PPO", MAZE, 20_000, "gamma-0", FLAT, hyper={"gamma": 0.0}),
    _sick("PPO", MAZE, 20_000, "clip-0.9", LR, hyper=NO_CLIP),
    _sick("PPO", CORRIDOR, 20_000, "entropy-penalty", COLD, hyper={"ent_coef": -0.2}),
)


def prepare() -> None:
    """Import what every run needs."""
    import stable_baselines3  # noqa: F401
    import torch.utils.tensorboard  # noqa: F401

    import benchmarks.made.small_envs  # noqa: F401


def make(program: Program, seed: int, folder: Path) -> Outcome:
    """Train, leave the log in the folder, and try the policy on the clean environment."""
    import torch
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.logger import configure

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    settings = program.settings
    sinks = SINKS[zlib.crc32(f"{program.name}{seed}".encode()) % len(SINKS)]
    env = _training_env(program, seed, folder if "monitor" in sinks else None)
    model = _model(program, env, seed)
    if warm := settings.get("warm"):
        model.set_logger(configure(None, []))
        model.learn(warm)
        model.ep_info_buffer.clear()
        model.num_timesteps = 0
    formats = [sink for sink in sinks if sink != "monitor"]
    model.set_logger(configure(str(folder), formats))
    interval = 1 if program.algorithm == "PPO" else 50 if program.algorithm == "A2C" else 10
    callback, evaluated = _callback(program, seed, folder)
    model.learn(settings["steps"], callback=callback, log_interval=interval)
    model.logger.close()
    clean = _vec(lambda: _plain(program.world.name), 1, seed + 1000)
    if settings.get("normalise"):
        from stable_baselines3.common.vec_env import VecNormalize

        clean = VecNormalize(clean, training=False, norm_reward=False)
        clean.obs_rms = env.obs_rms
    usual, _ = evaluate_policy(
        model, clean, EPISODES, deterministic=program.algorithm not in ON_POLICY
    )
    harmed, why = None, ""
    if settings.get("eval"):
        logged = float(evaluated[-1])
        gap = abs(float(usual) - logged) / abs(program.world.good - program.world.poor)
        harmed = gap > 0.5
        why = f"the log says {logged:.4g} of the evaluations, the policy gets {usual:.4g}"
    onset = int(settings["steps"] * 0.6) if settings.get("lr_jump") else None
    return Outcome("mean return", float(usual), harmed=harmed, why=why, onset=onset)


def _plain(name: str) -> Any:
    from stable_baselines3.common.monitor import Monitor

    from benchmarks.made.small_envs import make_env

    return Monitor(make_env(name))


def _vec(build: Any, count: int, seed: int) -> Any:
    from stable_baselines3.common.vec_env import DummyVecEnv

    envs = DummyVecEnv([build] * count)
    envs.seed(seed)
    return envs


def _training_env(program: Program, seed: int, monitors: Path | None) -> Any:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    from benchmarks.made.small_envs import Tampered, make_env

    count = 8 if program.algorithm in ON_POLICY else 1

    def build(rank: int) -> Any:
        env = make_env(program.world.name)
        if tampering := program.settings.get("env"):
            env = Tampered(env, **tampering)
        return Monitor(env, None if monitors is None else str(monitors / str(rank)))

    envs: Any = DummyVecEnv([lambda rank=rank: build(rank) for rank in range(count)])
    envs.seed(seed)
    return VecNormalize(envs, norm_reward=False) if program.settings.get("normalise") else envs


def _model(program: Program, env: Any, seed: int) -> Any:
    import stable_baselines3

    settings = program.settings
    hyper = {**DEFAULTS[program.algorithm], **settings.get("hyper", {})}
    if jump := settings.get("lr_jump"):
        usual = hyper["learning_rate"]
        hyper["learning_rate"] = lambda left: usual if left > 0.4 else jump
    if settings.get("target_never"):
        hyper |= {"target_update_interval": 10**9}
    if settings.get("no_exploration"):
        hyper |= {"exploration_initial_eps": 0.0, "exploration_final_eps": 0.0}
    net = [32, 32] if program.algorithm in ("SAC", "TD3") else [64, 64]
    kind = getattr(stable_baselines3, program.algorithm)
    return kind("MlpPolicy", env, seed=seed, device="cpu", policy_kwargs={"net_arch": net}, **hyper)


def _callback(program: Program, seed: int, folder: Path) -> tuple[Any, list[float]]:
    """Evaluations at even distances; a broken one where the program asks for it."""
    from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
    from stable_baselines3.common.evaluation import evaluate_policy

    from benchmarks.made.small_envs import Tampered, make_env

    settings = program.settings
    found: list[float] = []
    if not settings.get("evals"):
        return None, found
    parallel = 8 if program.algorithm in ON_POLICY else 1
    every = settings["steps"] // settings["evals"] // parallel
    if not settings.get("eval"):
        env = _vec(lambda: _plain(program.world.name), 1, seed + 500)
        told = EvalCallback(
            env, n_eval_episodes=5, eval_freq=every, log_path=str(folder), verbose=0
        )
        return told, found

    def broken() -> Any:
        env = make_env(program.world.name)
        return Tampered(env, wrong_action=0) if settings["eval"] == "one-action" else env

    class Evaluation(BaseCallback):
        def _on_training_start(self) -> None:
            self.env = _vec(broken, 1, seed + 500)

        def _on_step(self) -> bool:
            if self.n_calls % every == 0:
                mean, _ = evaluate_policy(self.model, self.env, 5, warn=False)
                found.append(float(mean))
                self.logger.record("eval/mean_reward", mean)
            return True

    return Evaluation(), found
