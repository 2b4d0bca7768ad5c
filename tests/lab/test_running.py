from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runvitals as rv
from runvitals.lab.registry import FILES, trainer
from runvitals.lab.running import Case, CaseResult, run_case
from runvitals.model import ConfigError, Run

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}
FEW = {"eval_episodes": 2, "score_episodes": 2}
PREFERENCES = {"max_steps": 8, "base_steps": 20, "eval_steps": 4, "eval_samples": 16}
PUZZLES = {
    "total_steps": 4,
    "val_every": 2,
    "samples_every": 2,
    "val_prompts": 16,
    "score_prompts": 16,
}
BRIEFLY: dict[str, dict[str, Any]] = {  # through every stage of each trainer, and to its end
    "ppo": {"total_steps": 6144, "log_rows": 3, "eval_every": 1, **FEW},
    "a2c": {"total_steps": 10_240, "eval_every": 2, **FEW},
    "dqn": {"total_steps": 2400, "rows": 6, "eval_every": 2, **FEW},
    "sac": {"total_steps": 1600, "rows": 8, "eval_every": 2, **FEW},
    "scheduler": {
        "chunks": 2,
        "updates_per_chunk": 3,
        "eval_every": 2,
        "final_requests": 60,
        "num_clusters": 16,
        "minibatches": 4,
    },
    "grpo": PUZZLES,
    "rlhf-ppo": PUZZLES,
    "dpo": PREFERENCES,
    "kto": PREFERENCES,
    "simpo": PREFERENCES,
    "reward-model": {"max_steps": 16, "eval_steps": 8, "eval_samples": 32},
    "sft": {"max_steps": 20, "eval_steps": 10, "eval_samples": 32},
    "teacher": {"epochs": 2, "batches_per_epoch": 4, "eval_every": 4, "base_steps": 20},
    "writing": {"total_steps": 12},
}
CLOCKS = ("timing", "time/", "throughput/", "perf/", "Performance/")


def run_quietly(case: Case, dir: Path) -> CaseResult:
    return run_case(case, dir, **QUIET)


def numbers(run: Run) -> dict[str, Any]:
    """All that was recorded, but for what a clock says."""
    return {name: run[name].values for name in run.names() if not name.startswith(CLOCKS)}


@pytest.mark.parametrize("name", FILES)
def test_one_seed_gives_the_same_numbers_bit_for_bit_and_another_one_others(
    name: str, tmp_path: Path
) -> None:
    cases = [Case(name, seed=seed, settings=BRIEFLY[name]) for seed in (5, 5, 6)]

    runs = [
        rv.open_run(run_quietly(case, tmp_path / str(i)).folder) for i, case in enumerate(cases)
    ]

    one, same, other = map(numbers, runs)
    assert one.keys() == same.keys()
    for metric in one:
        np.testing.assert_array_equal(one[metric], same[metric], err_msg=metric)
    assert len(one) >= 10
    assert any(
        not np.array_equal(one[m], other[m], equal_nan=True) for m in one.keys() & other.keys()
    )


def test_a_wrong_setting_is_in_the_config_and_the_label_is_not(tmp_path: Path) -> None:
    case = Case("sft", fault="lr-x100", variant="short-run")

    result = run_quietly(case, tmp_path)

    run = rv.open_run(result.folder)
    healthy = trainer("sft").config()
    assert run.config["learning_rate"] == pytest.approx(100 * healthy.learning_rate)
    assert "lr-x100" not in str(run.config)
    assert result.onset_step is not None


def test_a_setting_that_goes_wrong_late_is_not_in_the_config(tmp_path: Path) -> None:
    case = Case("sft", fault="lr-x100", onset=0.4, variant="short-run")

    result = run_quietly(case, tmp_path)

    run = rv.open_run(result.folder)
    assert run.config["learning_rate"] == trainer("sft").config().learning_rate
    assert result.onset_step is not None
    assert 0 < result.onset_step < result.steps


def test_a_resumed_run_is_one_run_with_two_lives(tmp_path: Path) -> None:
    of = trainer("ppo")
    short = of.variant("short-run").settings
    whole = run_quietly(Case("ppo", settings=short), tmp_path)

    resumed = run_quietly(Case("ppo", variant="resumed", settings=short), tmp_path)

    assert resumed.score == whole.score
    one, other = (numbers(rv.open_run(result.folder)) for result in (whole, resumed))
    for name in ("policy/entropy", "outcome/return_mean", "optim/learning_rate"):
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (Case("pp"), "no trainer 'pp'"),
        (Case("ppo", task="chess"), "no task of ppo 'chess'"),
        (Case("ppo", fault="nothing"), "no fault 'nothing'"),
        (Case("ppo", variant="nothing"), "no variant of ppo 'nothing'"),
        (Case("ppo", names="klingon"), "does not log in the names of 'klingon'"),
        (Case("ppo", settings={"lr": 1.0}), "ppo has no setting 'lr'"),
    ],
    ids=["trainer", "task", "fault", "variant", "names", "setting"],
)
def test_what_there_is_not_is_refused_with_the_choices(
    case: Case, says: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=says):
        run_quietly(case, tmp_path)

    assert not list(tmp_path.iterdir())
