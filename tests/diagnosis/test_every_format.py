"""The verdict and the findings of one run do not depend on which of its formats was read."""

from __future__ import annotations

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
    """What is said; how grave it is may hang on whether the run is over, which only the store knows."""
    return {
        "word": found.verdict.word,
        "reason": found.verdict.reason,
        "findings": sorted((f.code, f.is_alarm, f.message) for f in found.all_findings),
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
