"""What the console shows of a trainer's bare names."""

from __future__ import annotations

import runvitals as rv

GRPO = {
    "loss": -0.05, "grad_norm": 1.2, "learning_rate": 3e-6, "num_tokens": 159.0,
    "completions/mean_length": 6.9, "completions/clipped_ratio": 0.8, "rewards/reward/mean": 0.01,
    "rewards/reward/std": 0.03, "reward": 0.013, "reward_std": 0.03, "frac_reward_zero_std": 0.0,
    "entropy": 3.9, "clip_ratio/low_mean": 0.0, "clip_ratio/high_mean": 0.0,
    "clip_ratio/region_mean": 0.0, "clip_ratio/low_min": 0.0, "clip_ratio/high_max": 0.0,
    "step_time": 0.9, "epoch": 0.01,
}  # fmt: skip


def shown(capfd, tmp_path, monkeypatch, **told):
    monkeypatch.setenv("RUNVITALS_CONSOLE_INTERVAL", "0")
    with rv.init(project="p", dir=tmp_path, system=False, tensorboard=False, **told) as run:
        run.log(GRPO, step=1)
        run.flush()
    return next(line for line in capfd.readouterr().err.splitlines() if line.startswith("step 1"))


def test_a_run_of_trl_shows_reward_loss_entropy_and_gradient_norm(capfd, tmp_path, monkeypatch):
    line = shown(capfd, tmp_path, monkeypatch, framework="trl", algorithm="GRPO")

    assert "outcome reward 0.013" in line
    for name in ("loss -0.05", "entropy 3.9", "grad_norm 1.2"):
        assert name in line


def test_the_same_names_are_understood_together_where_nobody_says_who_logs(
    capfd, tmp_path, monkeypatch
):
    line = shown(capfd, tmp_path, monkeypatch)

    for name in ("reward 0.013", "loss -0.05", "entropy 3.9", "grad_norm 1.2"):
        assert name in line
