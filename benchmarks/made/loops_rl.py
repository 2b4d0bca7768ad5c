"""Small learners as people write them by themselves: Q-tables, REINFORCE, evolution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.made.programs import Outcome, Program
from benchmarks.made.small_envs import Tampered, make_env

Write = Callable[[dict[str, Any]], None]
LATE = 0.65  # of the run: where a late fault sets in


def training_env(program: Program) -> Any:
    """The environment to learn in, tampered with where the program says so."""
    env = make_env(program.world.name)
    tampering = program.settings.get("env")
    return Tampered(env, **tampering) if tampering else env


def clean_return(name: str, act: Callable[[Any], Any], seed: int, episodes: int) -> float:
    """What a policy gets in the untampered environment."""
    env = make_env(name)
    total = 0.0
    for k in range(episodes):
        seen, _ = env.reset(seed=seed * 1000 + k)
        done = False
        while not done:
            seen, reward, ended, cut, _ = env.step(act(seen))
            total += float(reward)
            done = ended or cut
    return total / episodes


def q_table(program: Program, seed: int, write: Write) -> Outcome:
    """Q-learning with a table; one row per some episodes."""
    s = program.settings
    rng = np.random.default_rng(seed)
    env = training_env(program)
    actions = int(env.action_space.n)
    table: dict[Any, np.ndarray[Any, Any]] = {}
    episodes, every = s["episodes"], s.get("every", 1)
    alpha, gamma = s.get("alpha", 0.2), s.get("gamma", 0.97)
    least, fade = s.get("least_epsilon", 0.02), s.get("fade", 0.5)
    rows: list[tuple[float, int, float]] = []

    def row(seen: Any) -> np.ndarray[Any, Any]:
        key = tuple(seen.tolist()) if isinstance(seen, np.ndarray) else seen
        return table.setdefault(key, np.full(actions, s.get("hope", 0.0)))

    for episode in range(episodes):
        done_share = episode / episodes
        epsilon = s.get("epsilon", max(least, 1.0 - done_share / fade))
        rate = s.get("late_alpha", alpha) if done_share > LATE else alpha
        seen, _ = env.reset(seed=seed * 100_000 + episode)
        total, length, won, wrongs = 0.0, 0, False, 0.0
        done = False
        while not done and length < s.get("limit", 200):
            greedy = int(np.argmax(row(seen)))
            action = int(rng.integers(actions)) if rng.random() < epsilon else greedy
            after, reward, ended, cut, told = env.step(action)
            won = bool(told.get("is_success", reward > 0))
            ahead = 0.0 if ended else float(row(after).max())
            wrong = float(reward) + gamma * ahead - row(seen)[action]
            row(seen)[action] += rate * wrong
            total, length, wrongs = total + float(reward), length + 1, wrongs + abs(wrong)
            seen, done = after, ended or cut
        rows.append((total, length, float(won)))
        if (episode + 1) % every == 0:
            mean = np.mean(rows[-every:], axis=0)
            told_row = {"episode": episode + 1, "reward": mean[0], "length": mean[1]}
            told_row |= {"epsilon": epsilon, "td_error": wrongs / length}
            if s.get("success", True):
                told_row["success"] = mean[2]
            write(told_row)
    act = lambda seen: int(np.argmax(row(seen)))  # noqa: E731
    end = clean_return(program.world.name, act, seed + 7, s.get("tries", 300))
    return Outcome("mean return of the greedy policy", end)


def features(seen: Any, size: int) -> np.ndarray[Any, Any]:
    """An observation as numbers, with their products, so that a linear policy gets somewhere."""
    if size:
        return np.eye(size)[int(seen)]
    x = np.asarray(seen, np.float64)
    pairs = np.outer(x, x)[np.triu_indices(len(x))]
    return np.concatenate([x, pairs, [1.0]])


def reinforce(program: Program, seed: int, write: Write) -> Outcome:
    """REINFORCE with a mean as baseline and a linear policy; one row per update."""
    s = program.settings
    rng = np.random.default_rng(seed)
    env = training_env(program)
    size = int(getattr(env.observation_space, "n", 0))
    actions = int(env.action_space.n)
    weights = np.zeros((len(features(env.reset(seed=seed)[0], size)), actions))
    updates, batch, gamma = s["updates"], s.get("batch", 10), s.get("gamma", 0.97)

    def chances(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        scores = x @ weights
        scores = np.exp(np.clip(scores - scores.max(), -500, 0))
        return np.asarray(scores / scores.sum())

    for update in range(updates):
        rate = s.get("rate", 0.05)
        if s.get("late_rate") and update > LATE * updates:
            rate = s["late_rate"]
        steps: list[tuple[np.ndarray[Any, Any], int, float]] = []
        returns, lengths, entropies, wins = [], [], [], []
        for _ in range(batch):
            seen, _ = env.reset(seed=int(rng.integers(2**31)))
            episode: list[tuple[np.ndarray[Any, Any], int, float]] = []
            done = False
            while not done:
                x = features(seen, size)
                p = chances(x)
                action = int(rng.choice(actions, p=p))
                entropies.append(float(-(p * np.log(p + 1e-12)).sum()))
                seen, reward, ended, cut, told = env.step(action)
                episode.append((x, action, float(reward)))
                done = ended or cut
            wins.append(float(told.get("is_success", reward > 0)))
            returns.append(sum(r for _, _, r in episode))
            lengths.append(len(episode))
            ahead = 0.0
            for x, action, reward in reversed(episode):
                ahead = reward + gamma * ahead
                steps.append((x, action, ahead))
        goals = np.array([g for _, _, g in steps])
        weight = (goals - goals.mean()) / (goals.std() + 1e-8)
        slope = np.zeros_like(weights)
        loss = 0.0
        for (x, action, _), w in zip(steps, weight, strict=True):
            p = chances(x)
            loss -= w * float(np.log(p[action] + 1e-12))
            p[action] -= 1.0
            slope -= w * np.outer(x, p)
        slope /= len(steps)
        weights = weights + s.get("sign", 1.0) * rate * len(steps) / batch * slope
        row = {
            "update": update,
            "mean_return": np.mean(returns),
            "episode_length": np.mean(lengths),
        }
        row |= {"policy_loss": loss / len(steps), "entropy": np.mean(entropies)}
        row |= {"grad_norm": float(np.linalg.norm(slope)), "lr": rate}
        if s.get("success"):
            row["success_rate"] = np.mean(wins)
        write(row)

    def act(seen: Any) -> int:
        return int(rng.choice(actions, p=chances(features(seen, size))))

    end = clean_return(program.world.name, act, seed + 7, 60)
    onset = int(LATE * updates) if s.get("late_rate") else None
    return Outcome("mean return", end, onset=onset)


def evolution(program: Program, seed: int, write: Write) -> Outcome:
    """The cross-entropy method on a linear policy; one row per generation."""
    s = program.settings
    rng = np.random.default_rng(seed)
    env = training_env(program)
    continuous = not hasattr(env.action_space, "n")
    width = len(np.asarray(env.reset(seed=seed)[0])) + 1
    outputs = int(env.action_space.shape[0]) if continuous else int(env.action_space.n)
    mean = np.zeros((width, outputs))
    spread = np.full_like(mean, s.get("spread", 1.0))

    def policy(w: np.ndarray[Any, Any]) -> Callable[[Any], Any]:
        def act(seen: Any) -> Any:
            scores = np.append(np.asarray(seen, np.float64), 1.0) @ w
            return scores if continuous else int(np.argmax(scores))

        return act

    def score(w: np.ndarray[Any, Any]) -> float:
        total = 0.0
        for _ in range(s.get("tries", 2)):
            seen, _ = env.reset(seed=int(rng.integers(2**31)))
            done = False
            while not done:
                seen, reward, ended, cut, _ = env.step(policy(w)(seen))
                total += float(reward)
                done = ended or cut
        return total / s.get("tries", 2)

    for generation in range(s["generations"]):
        people = mean + spread * rng.normal(size=(s.get("people", 24), *mean.shape))
        fitness = np.array([score(w) for w in people])
        order = np.argsort(-s.get("sign", 1.0) * fitness)
        elite = people[order[: len(people) // 4]]
        if s.get("learns", True):
            mean = elite.mean(axis=0)
            spread = elite.std(axis=0) + s.get("extra", 0.1) * 0.95**generation
        told = {"generation": generation, "mean_fitness": fitness.mean(), "best": fitness.max()}
        told |= {"elite_fitness": fitness[order[: len(elite)]].mean(), "sigma": spread.mean()}
        write(told)
    end = clean_return(program.world.name, policy(mean), seed + 7, 40)
    return Outcome("mean return of the mean policy", end)
