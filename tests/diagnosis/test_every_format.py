"""The verdict and the findings of one run do not depend on which of its formats was read."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import nan
from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.diagnosis.engine import Choice
from runvitals.diagnosis.judge import Settings, judge
from runvitals.exporters import export_csv, export_jsonl, export_parquet, export_tensorboard
from runvitals.model import Diagnosis, Run, RunInfo

PATIENT = Settings(Choice(seconds_per_rule=300.0))  # however busy the machine is
Columns = dict[str, np.ndarray]


def _noise(seed: int, count: int, size: float) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, size, count)


def _ppo(returns: np.ndarray) -> Columns:
    count = len(returns)
    return {
        "rollout/ep_rew_mean": returns + _noise(1, count, 3.0),
        "train/approx_kl": 0.01 + np.abs(_noise(2, count, 0.003)),
        "train/clip_fraction": 0.1 + np.abs(_noise(3, count, 0.02)),
        "train/explained_variance": np.linspace(0.1, 0.9, count) + _noise(4, count, 0.02),
        "train/entropy_loss": np.linspace(-0.69, -0.3, count) + _noise(5, count, 0.01),
        "train/value_loss": np.linspace(20, 5, count) + np.abs(_noise(6, count, 0.5)),
        "train/learning_rate": np.full(count, 3e-4),
    }


def healthy_ppo() -> Columns:
    return _ppo(np.minimum(480, np.linspace(20, 700, 120)))


def collapsing_ppo() -> Columns:
    rise = np.linspace(20, 450, 70)
    run = _ppo(np.concatenate([rise, np.linspace(430, 15, 20), np.full(30, 12.0)]))
    run["train/approx_kl"][66:] *= 40
    run["train/clip_fraction"][66:] = 0.75
    run["train/learning_rate"][66:] = 0.3
    return run


def diverging_sft() -> Columns:
    loss = np.concatenate([np.linspace(3, 1.5, 60), np.geomspace(1.5, 1e9, 20), np.full(20, nan)])
    return {"loss": loss, "grad_norm": np.abs(loss), "learning_rate": np.full(100, 5e-3)}


def overfitting_sft() -> Columns:
    evaluated = np.full(120, nan)
    evaluated[9::10] = np.concatenate([np.linspace(2.6, 2.2, 4), np.linspace(2.3, 3.4, 8)])
    loss = np.linspace(3, 0.2, 120) + _noise(7, 120, 0.05)
    return {"loss": loss, "eval_loss": evaluated, "grad_norm": 1 + np.abs(_noise(8, 120, 0.1))}


def grpo_without_reward() -> Columns:
    return {
        "reward": np.zeros(60),
        "reward_std": np.zeros(60),
        "frac_reward_zero_std": np.ones(60),
        "completions/mean_length": 80 + _noise(9, 60, 4.0),
        "completions/clipped_ratio": np.abs(_noise(10, 60, 0.01)),
        "entropy": 1.2 + _noise(11, 60, 0.02),
        "kl": np.abs(_noise(12, 60, 1e-4)),
        "grad_norm": np.zeros(60),
    }


def flat_returns() -> Columns:
    return {
        "episode_return": 20 + _noise(18, 60, 5.0),
        "loss": 1 + _noise(19, 60, 0.1),
        "epsilon": np.maximum(0.05, 1 - 2 * np.linspace(0, 1, 60)),
    }


def healthy_dpo() -> Columns:
    rise = np.linspace(0, 1, 80)
    return {
        "loss": 0.693 - 0.5 * rise + _noise(13, 80, 0.01),
        "rewards/accuracies": np.clip(0.5 + 0.45 * rise + _noise(14, 80, 0.03), 0, 1),
        "rewards/margins": 2.5 * rise + _noise(15, 80, 0.05),
        "rewards/chosen": 1.5 * rise + _noise(16, 80, 0.05),
        "rewards/rejected": -1.0 * rise + _noise(17, 80, 0.05),
    }


RUNS: dict[str, tuple[Callable[[], Columns], frozenset[str]]] = {
    "healthy PPO": (healthy_ppo, frozenset({"learning", "learned"})),
    "collapsing PPO": (collapsing_ppo, frozenset({"collapsed"})),
    "diverging SFT": (diverging_sft, frozenset({"diverged"})),
    "overfitting SFT": (overfitting_sft, frozenset({"overfitting"})),
    "GRPO without reward": (grpo_without_reward, frozenset({"not learning"})),
    "flat returns": (flat_returns, frozenset({"not learning", "stalled"})),
    "healthy DPO": (healthy_dpo, frozenset({"learning", "learned"})),
}


def _stored(columns: Columns, place: Path) -> Run:
    """Recorded as a user would: values that are not there are not logged, NaN inside a series is."""
    run = rv.init(dir=place, console=False, tensorboard=False, csv=False, system=False, judge=False)
    sparse = {name for name, column in columns.items() if np.isnan(column[0])}
    for step in range(len(next(iter(columns.values())))):
        row = {name: float(column[step]) for name, column in columns.items()}
        run.log({k: v for k, v in row.items() if k not in sparse or v == v}, step=step)
    run.finish()
    return rv.open_run(run.folder)


def _csv(run: Run, place: Path) -> Path:
    export_csv(run.points.blocks(), place / "run.csv")
    return place / "run.csv"


def _jsonl(run: Run, place: Path) -> Path:
    return export_jsonl(run.points.blocks(), place / "run.jsonl")


def _parquet(run: Run, place: Path) -> Path:
    return export_parquet(run.points.blocks(), place / "run.parquet")


def _tensorboard(run: Run, place: Path) -> Path:
    info = RunInfo(run.id, run.name, run.project, place, started=run.started or 0.0)
    export_tensorboard(run.points.blocks(), run.events(), place / "events", info)
    return place / "events"


FORMATS = {"CSV": _csv, "JSON Lines": _jsonl, "Parquet": _parquet, "TensorBoard": _tensorboard}


def _told(found: Diagnosis) -> dict[str, object]:
    """What is said, and how grave it is: few formats say that a run is over, and none has to."""
    return {
        "word": found.verdict.word,
        "reason": found.verdict.reason,
        "findings": sorted((f.code, f.severity, f.message) for f in found.all_findings),
        "first": [f.code for f in found.findings],
        "telemetry": sorted(f.code for f in found.telemetry),
    }


@pytest.mark.parametrize("name", RUNS)
def test_all_formats_of_one_run_get_one_judgement(name: str, tmp_path: Path) -> None:
    make, words = RUNS[name]
    stored = _stored(make(), tmp_path / "runs")
    told = _told(judge(stored, PATIENT))

    others = {
        form: _told(judge(rv.open_run(write(stored, tmp_path)), PATIENT))
        for form, write in FORMATS.items()
    }

    assert told["word"] in words, told
    assert others == dict.fromkeys(FORMATS, told)


# What the Hugging Face Trainer leaves of one run: its state, what it prints, and its event files.

EVERY = 5  # steps between two rows


def _rows(columns: Columns) -> list[dict[str, float]]:
    """As the Trainer keeps them: an evaluation is a row of its own."""
    rows = []
    for at in range(len(columns["loss"])):
        here = {
            name: float(column[at]) for name, column in columns.items() if column[at] == column[at]
        }
        about = {"epoch": round(EVERY * (at + 1) / 100, 4)}
        for evaluated in (False, True):
            mine = {k: v for k, v in here.items() if k.startswith("eval_") is evaluated}
            if mine:
                rows.append({**mine, **about, "step": EVERY * (at + 1)})
    return rows


def _state(rows: list[dict[str, float]], place: Path) -> Path:
    last = rows[-1]["step"]
    done = {"train_runtime": 9.0, "train_loss": 1.0, "epoch": rows[-1]["epoch"], "step": last}
    state = {"global_step": last, "max_steps": last, "log_history": [*rows, done]}
    (place / "trainer_state.json").write_text(json.dumps(state))
    return place / "trainer_state.json"


def _console(rows: list[dict[str, float]], place: Path) -> Path:
    told = [{k: v for k, v in row.items() if k != "step"} for row in rows]
    told.append({"train_runtime": 9.0, "train_loss": 1.0, "epoch": rows[-1]["epoch"]})
    (place / "train.log").write_text("".join(f"{row}\n" for row in told))
    return place / "train.log"


def _events(rows: list[dict[str, float]], place: Path) -> Path:
    def named(name: str) -> str:
        return name.replace("eval_", "eval/", 1) if name.startswith("eval_") else f"train/{name}"

    run = rv.init(
        dir=place / "runs", console=False, csv=False, system=False, judge=False, tensorboard=False
    )
    for row in rows:
        run.log({named(k): v for k, v in row.items() if k != "step"}, step=int(row["step"]))
    run.finish()
    return _tensorboard(rv.open_run(run.folder), place)


def fine_tuning(end: float, rate: float = 2e-3) -> Columns:
    """Four evaluations, a schedule that falls to 0."""
    loss = end + (2.8 - end) * np.exp(-np.arange(60) / 12) + _noise(18, 60, 0.02)
    evaluated = np.full(60, nan)
    evaluated[14::15] = loss[14::15] + 0.02
    falls = rate * (1 - (np.arange(60) + 1) / 60)
    return {
        "loss": loss,
        "grad_norm": 1 + 0.1 * loss,
        "learning_rate": falls,
        "eval_loss": evaluated,
    }


TRAINERS: dict[str, tuple[Columns, frozenset[str]]] = {
    "learns": (fine_tuning(0.9), frozenset({"learning", "learned"})),
    "stands still": (fine_tuning(2.8), frozenset({"not learning"})),
    "rate of 0": (fine_tuning(2.8, rate=0.0), frozenset({"not learning"})),
}


@pytest.mark.parametrize("name", TRAINERS)
def test_all_that_the_trainer_leaves_of_one_run_gets_one_verdict(name: str, tmp_path: Path) -> None:
    columns, words = TRAINERS[name]
    rows = _rows(columns)

    found = [
        judge(rv.open_run(write(rows, tmp_path)), PATIENT) for write in (_state, _console, _events)
    ]

    assert {one.verdict.word for one in found} <= words
    assert len({one.verdict.word for one in found}) == 1
    assert len({frozenset(f.code for f in one.all_findings if f.is_alarm) for one in found}) == 1
