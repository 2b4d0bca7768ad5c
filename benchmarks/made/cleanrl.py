"""Single-file scripts in the manner of CleanRL, PPO and DQN, with TensorBoard logs under its names."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks.made.programs import Outcome, Program, World, program_of
from benchmarks.made.worlds import ACROBOT, CARTPOLE, CATCH, CORRIDOR, FROZENLAKE, MAZE, SHOP

LATE = 0.65  # of the run: where a late fault sets in
EPISODES = 30
PPO: dict[str, Any] = {
    "learning_rate": 2.5e-3,
    "num_envs": 8,
    "num_steps": 64,
    "anneal_lr": True,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "num_minibatches": 4,
    "update_epochs": 4,
    "clip_coef": 0.2,
    "ent_coef": 0.01,
    "vf_coef": 0.5,
    "max_grad_norm": 0.5,
}
DQN: dict[str, Any] = {
    "learning_rate": 1e-3,
    "buffer_size": 10_000,
    "gamma": 0.99,
    "target_network_frequency": 250,
    "batch_size": 64,
    "start_e": 1.0,
    "end_e": 0.05,
    "exploration_fraction": 0.4,
    "learning_starts": 500,
    "train_frequency": 4,
}

LR = ("KL001", "KL002", "POL001", "ENT001", "CLIP001", "VAL001", "VAL006", "DATA007", "LR002")
FLAT = ("REW005", "REW006", "ENT004", "VAL003")
STILL = ("POL002", "KL003", "CLIP002", "DATA007", "LR002")
WORSE = ("REW011", "REW003")
NO_SIGNAL = ("REW004", "ADV001", "VAL003")
JUMP = ("REW003", "KL002", "KL007", "POL001", "LR001", "LR002")


def _ppo(
    world: World, steps: int, variant: str = "healthy", *expected: str, seeds: int = 1, **more: Any
) -> Program:
    return _program("PPO", world, steps, variant, expected, seeds, more)


def _dqn(
    world: World, steps: int, variant: str = "healthy", *expected: str, seeds: int = 1, **more: Any
) -> Program:
    return _program("DQN", world, steps, variant, expected, seeds, more)


def _program(
    algorithm: str,
    world: World,
    steps: int,
    variant: str,
    expected: tuple[str, ...],
    seeds: int,
    more: dict[str, Any],
) -> Program:
    more = {"steps": steps, **more}
    return program_of("cleanrl", algorithm, world, variant, expected, seeds, more, seeded="clean")


PROGRAMS = (
    _ppo(CARTPOLE, 40_000, seeds=3),
    _ppo(CARTPOLE, 12_000, "short", seeds=2, enough=0.15),
    _ppo(FROZENLAKE, 30_000, seeds=2),
    _ppo(SHOP, 25_000, "noisy", seeds=2, gamma=0.0),
    _ppo(CATCH, 40_000, seeds=2),
    _ppo(CATCH, 20_000, "warm-start", seeds=2, warm=40_000),
    _ppo(MAZE, 40_000, "plateau", seeds=2),
    _ppo(CORRIDOR, 40_000, "late-success", seeds=2, ent_coef=0.02),
    _ppo(ACROBOT, 40_000, seeds=2),
    _dqn(CARTPOLE, 20_000, seeds=2, enough=0.5),
    _dqn(FROZENLAKE, 12_000, "fast", seeds=2, exploration_fraction=0.2),
    _dqn(CATCH, 15_000, seeds=2),
    _dqn(MAZE, 12_000, seeds=2),
    _ppo(CARTPOLE, 25_000, "lr-0.5", *LR, learning_rate=0.5),
    _ppo(CARTPOLE, 25_000, "lr-zero", *STILL, learning_rate=0.0),
    _ppo(CARTPOLE, 25_000, "flipped-loss", *WORSE, sign=-1.0),
    _ppo(CARTPOLE, 40_000, "lr-jump", *JUMP, seeds=2, late_lr=0.5, anneal_lr=False),
    _ppo(CARTPOLE, 25_000, "gamma-0", *FLAT, gamma=0.0),
    _ppo(FROZENLAKE, 20_000, "reward-zero", *NO_SIGNAL, env={"scale": 0.0}),
    _ppo(FROZENLAKE, 20_000, "entropy-bonus-2", *FLAT, ent_coef=2.0),
    _ppo(SHOP, 20_000, "blind", *FLAT, env={"blind": True}),
    _dqn(CARTPOLE, 12_000, "lr-1", *LR, learning_rate=1.0),
    _dqn(CARTPOLE, 12_000, "target-never", *FLAT, "VAL006", target_network_frequency=10**9),
    _dqn(FROZENLAKE, 10_000, "no-exploration", *NO_SIGNAL, start_e=0.0, end_e=0.0),
    _ppo(CATCH, 25_000, "lr-1", *LR, learning_rate=1.0),
    _ppo(CATCH, 25_000, "flipped-reward", *WORSE, seeds=2, env={"scale": -1.0}),
    _ppo(CATCH, 25_000, "wild-updates", *LR, update_epochs=50, clip_coef=0.9, learning_rate=0.03),
    _ppo(MAZE, 25_000, "lr-1e-8", *STILL, learning_rate=1e-8),
    _ppo(MAZE, 40_000, "lr-jump", *JUMP, late_lr=1.0, anneal_lr=False),
    _ppo(CORRIDOR, 20_000, "reward-constant", *NO_SIGNAL, env={"scale": 0.0, "shift": 0.5}),
    _ppo(ACROBOT, 25_000, "lr-0.5", *LR, learning_rate=0.5),
    _dqn(CATCH, 10_000, "replay-tiny", *FLAT, buffer_size=64),
    _dqn(CATCH, 10_000, "blind", *FLAT, env={"blind": True}),
    _dqn(MAZE, 10_000, "flipped-reward", *WORSE, env={"scale": -1.0}),
    _dqn(CORRIDOR, 10_000, "no-exploration", *NO_SIGNAL, start_e=0.0, end_e=0.0),
)


def prepare() -> None:
    """Import what every run needs."""
    import torch.utils.tensorboard  # noqa: F401

    import benchmarks.made.small_envs  # noqa: F401


def make(program: Program, seed: int, folder: Path) -> Outcome:
    """Train, leave an event file in the folder, and try the policy on the clean environment."""
    import numpy as np
    import torch
    from torch.utils.tensorboard import SummaryWriter

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)
    usual = PPO if program.algorithm == "PPO" else DQN
    args = {**usual, **{k: v for k, v in program.settings.items() if k in usual}}
    args |= {"total_timesteps": program.settings["steps"], "seed": seed}
    args["env_id"] = program.world.name
    train = _ppo_script if program.algorithm == "PPO" else _dqn_script
    writer = SummaryWriter(str(folder))
    told = "\n".join(f"|{key}|{value}|" for key, value in args.items())
    writer.add_text("hyperparameters", f"|param|value|\n|-|-|\n{told}")
    policy = train(program, args, seed, writer)
    writer.close()
    end = _clean_return(program.world.name, policy, seed + 1000)
    onset = int(LATE * args["total_timesteps"]) if program.settings.get("late_lr") else None
    return Outcome("mean return", end, onset=onset)


def _clean_return(name: str, policy: Any, seed: int) -> float:
    from benchmarks.made.loops_rl import clean_return

    return clean_return(name, policy, seed, EPISODES)


def _encoder(env: Any) -> tuple[Any, int]:
    """Observations as rows of numbers: one-hot where they are a number."""
    import numpy as np

    size = getattr(env.observation_space, "n", None)
    if size is None:
        return (lambda seen: np.asarray(seen, np.float32)), int(env.observation_space.shape[0])
    rows = np.eye(int(size), dtype=np.float32)
    return (lambda seen: rows[int(seen)]), int(size)


def _net(inputs: int, outputs: int, last: float) -> Any:
    from torch import nn

    layers = [nn.Linear(inputs, 64), nn.Linear(64, 64), nn.Linear(64, outputs)]
    for layer, gain in zip(layers, (2**0.5, 2**0.5, last), strict=True):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])


def _ppo_script(program: Program, args: dict[str, Any], seed: int, writer: Any) -> Any:
    import numpy as np
    import torch
    from torch.distributions import Categorical

    from benchmarks.made.loops_rl import training_env

    envs = [training_env(program) for _ in range(args["num_envs"])]
    encode, width = _encoder(envs[0])
    actor = _net(width, int(envs[0].action_space.n), 0.01)
    critic = _net(width, 1, 1.0)
    parameters = [*actor.parameters(), *critic.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=args["learning_rate"], eps=1e-5)
    steps, count = args["num_steps"], args["num_envs"]
    warm = program.settings.get("warm", 0)
    updates = (args["total_timesteps"] + warm) // (steps * count)
    quiet = warm // (steps * count)
    seen = [env.reset(seed=seed * 100 + k)[0] for k, env in enumerate(envs)]
    observation = torch.as_tensor(np.stack([encode(one) for one in seen]))
    done = torch.zeros(count)
    totals, lengths = np.zeros(count), np.zeros(count, int)
    global_step, began = 0, time.time()
    for update in range(updates):
        share = max(0, update - quiet) / (updates - quiet)
        lr = args["learning_rate"] * ((1 - share) if args["anneal_lr"] else 1.0)
        if program.settings.get("late_lr") and share > LATE:
            lr = program.settings["late_lr"]
        optimizer.param_groups[0]["lr"] = lr
        logging = update >= quiet
        store: dict[str, list[Any]] = {k: [] for k in ("obs", "act", "logp", "rew", "done", "val")}
        for _ in range(steps):
            global_step += count if logging else 0
            with torch.no_grad():
                chances = Categorical(logits=actor(observation))
                action = chances.sample()
                store["val"].append(critic(observation).flatten())
            store["obs"].append(observation)
            store["done"].append(done)
            store["act"].append(action)
            store["logp"].append(chances.log_prob(action))
            rewards, rows, ends = [], [], []
            for k, env in enumerate(envs):
                one, reward, ended, cut, _ = env.step(int(action[k]))
                totals[k] += reward
                lengths[k] += 1
                if ended or cut:
                    if logging:
                        writer.add_scalar("charts/episodic_return", totals[k], global_step)
                        writer.add_scalar("charts/episodic_length", lengths[k], global_step)
                    totals[k], lengths[k] = 0.0, 0
                    one, _ = env.reset()
                rewards.append(reward)
                rows.append(encode(one))
                ends.append(float(ended or cut))
            store["rew"].append(torch.tensor(rewards, dtype=torch.float32))
            observation, done = torch.as_tensor(np.stack(rows)), torch.tensor(ends)
        batch = {name: torch.stack(values) for name, values in store.items()}
        with torch.no_grad():
            ahead, advantage = critic(observation).flatten(), torch.zeros(count)
            gone, advantages = done, []
            for t in reversed(range(steps)):
                delta = batch["rew"][t] + args["gamma"] * ahead * (1 - gone) - batch["val"][t]
                advantage = delta + args["gamma"] * args["gae_lambda"] * (1 - gone) * advantage
                advantages.append(advantage)
                ahead, gone = batch["val"][t], batch["done"][t]
            spread = torch.stack(advantages[::-1])
            returns = (spread + batch["val"]).flatten()
        flat = {name: values.flatten(0, 1) for name, values in batch.items()}
        spread = spread.flatten()
        clipped, size = [], len(spread) // args["num_minibatches"]
        for _ in range(args["update_epochs"]):
            for some in torch.randperm(len(spread)).split(size):
                chances = Categorical(logits=actor(flat["obs"][some]))
                log_ratio = chances.log_prob(flat["act"][some]) - flat["logp"][some]
                ratio = log_ratio.exp()
                with torch.no_grad():
                    old_approx_kl = (-log_ratio).mean()
                    approx_kl = ((ratio - 1) - log_ratio).mean()
                    clipped.append(((ratio - 1).abs() > args["clip_coef"]).float().mean().item())
                a = spread[some]
                a = (a - a.mean()) / (a.std() + 1e-8)
                near = ratio.clamp(1 - args["clip_coef"], 1 + args["clip_coef"])
                policy_loss = torch.max(-a * ratio, -a * near).mean()
                value_loss = (
                    0.5 * ((critic(flat["obs"][some]).flatten() - returns[some]) ** 2).mean()
                )
                entropy = chances.entropy().mean()
                loss = program.settings.get("sign", 1.0) * policy_loss
                loss = loss - args["ent_coef"] * entropy + args["vf_coef"] * value_loss
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(parameters, args["max_grad_norm"])
                optimizer.step()
        if not logging:
            continue
        spread_of = returns.var()
        explained = (
            float(1 - (returns - flat["val"]).var() / spread_of) if spread_of > 0 else np.nan
        )
        told = {
            "charts/learning_rate": lr,
            "losses/value_loss": value_loss.item(),
            "losses/policy_loss": policy_loss.item(),
            "losses/entropy": entropy.item(),
            "losses/old_approx_kl": old_approx_kl.item(),
            "losses/approx_kl": approx_kl.item(),
            "losses/clipfrac": float(np.mean(clipped)),
            "losses/explained_variance": explained,
            "charts/SPS": int(global_step / (time.time() - began)),
        }
        for name, value in told.items():
            writer.add_scalar(name, value, global_step)

    def policy(one: Any) -> int:
        with torch.no_grad():
            return int(Categorical(logits=actor(torch.as_tensor(encode(one)))).sample())

    return policy


def _dqn_script(program: Program, args: dict[str, Any], seed: int, writer: Any) -> Any:
    import numpy as np
    import torch

    from benchmarks.made.loops_rl import training_env

    rng = np.random.default_rng(seed)
    env = training_env(program)
    encode, width = _encoder(env)
    actions = int(env.action_space.n)
    q, target = _net(width, actions, 1.0), _net(width, actions, 1.0)
    target.load_state_dict(q.state_dict())
    optimizer = torch.optim.Adam(q.parameters(), lr=args["learning_rate"])
    size = args["buffer_size"]
    kept = np.zeros((size, 2 * width + 3), np.float32)
    seen = encode(env.reset(seed=seed)[0])
    total, length, began = 0.0, 0, time.time()
    for step in range(args["total_timesteps"]):
        faded = step / (args["exploration_fraction"] * args["total_timesteps"])
        epsilon = max(args["end_e"], args["start_e"] + faded * (args["end_e"] - args["start_e"]))
        if rng.random() < epsilon:
            action = int(rng.integers(actions))
        else:
            with torch.no_grad():
                action = int(q(torch.as_tensor(seen)).argmax())
        after, reward, ended, cut, _ = env.step(action)
        after = encode(after)
        kept[step % size] = np.concatenate([seen, after, [action, reward, float(ended)]])
        total, length, seen = total + float(reward), length + 1, after
        if ended or cut:
            writer.add_scalar("charts/episodic_return", total, step)
            writer.add_scalar("charts/episodic_length", length, step)
            writer.add_scalar("charts/epsilon", epsilon, step)
            seen, total, length = encode(env.reset()[0]), 0.0, 0
        if step > args["learning_starts"]:
            if step % args["train_frequency"] == 0:
                picked = rng.integers(0, min(step + 1, size), args["batch_size"])
                rows = torch.as_tensor(kept[picked])
                old, new = rows[:, :width], rows[:, width : 2 * width]
                chosen, rewards, over = rows[:, -3].long(), rows[:, -2], rows[:, -1]
                with torch.no_grad():
                    goal = rewards + args["gamma"] * target(new).max(1).values * (1 - over)
                value = q(old).gather(1, chosen[:, None]).squeeze()
                loss = ((goal - value) ** 2).mean()
                if step % 100 == 0:
                    writer.add_scalar("losses/td_loss", loss.item(), step)
                    writer.add_scalar("losses/q_values", value.mean().item(), step)
                    writer.add_scalar("charts/SPS", int(step / (time.time() - began)), step)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if step % args["target_network_frequency"] == 0:
                target.load_state_dict(q.state_dict())

    def policy(one: Any) -> int:
        with torch.no_grad():
            return int(q(torch.as_tensor(encode(one))).argmax())

    return policy
