from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runvitals as rv
from runvitals.lab.registry import FILES, trainer
from runvitals.lab.running import Case, CaseResult, run_case
from runvitals.model import ConfigError, Run

QUIET = {"console": False, "tensorboard": False, "system": False}
CLOCKS = ("timing", "time/", "throughput/", "perf/", "Performance/")


def run_quietly(case: Case, dir: Path, **options: Any) -> CaseResult:
    return run_case(case, dir, **QUIET, **options)


def numbers(run: Run) -> dict[str, Any]:
    """All that was recorded, but for what a clock says."""
    return {name: run[name].values for name in run.names() if not name.startswith(CLOCKS)}


@pytest.mark.parametrize("name", FILES)
def test_one_seed_gives_the_same_numbers_bit_for_bit_and_another_one_others(
    name: str, tmp_path: Path
) -> None:
    cases = [Case(name, variant="short-run", seed=seed) for seed in (5, 5, 6)]

    runs = [
        rv.open_run(run_quietly(case, tmp_path / str(i), judge=False).folder)
        for i, case in enumerate(cases)
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
