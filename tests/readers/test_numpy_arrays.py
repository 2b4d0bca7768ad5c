"""Curves that were saved with numpy.save and numpy.savez."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from tests.readers.logs import damaged

import runvitals as rv
from runvitals.model import ReadError
from runvitals.readers.discovery.discover import discover
from runvitals.readers.tabular import numpy_arrays

CURVE = np.linspace(-1.0, 1.0, 30)


def test_an_array_is_what_its_file_is_called(tmp_path):
    np.save(tmp_path / "episode_rewards.npy", CURVE.astype(np.float32)[:, None])

    run = rv.open_run(tmp_path / "episode_rewards.npy")

    series = run["episode_rewards"]
    assert series.steps.tolist() == list(range(30))
    np.testing.assert_allclose(series.values, CURVE, atol=1e-6)


@pytest.mark.parametrize("name", ["scores.npy", "scores-15.npy"])
def test_scores_alone_are_a_curve(tmp_path, name):
    np.save(tmp_path / name, CURVE)

    assert rv.judge(rv.open_run(tmp_path)).verdict.word == "learning"


def test_a_file_named_after_algorithm_and_environment_holds_evaluations(tmp_path):
    np.save(tmp_path / "TD3_HalfCheetah-v2_0.npy", 100 * CURVE)

    run = rv.open_run(tmp_path)

    assert run["eval/return_mean"].name == "eval_returns"
    assert run.algorithm == "TD3"
    assert rv.judge(run).verdict.word == "learning"


def test_the_arrays_of_an_archive_share_their_steps(tmp_path):
    np.savez(
        tmp_path / "history.npz",
        steps=np.arange(30) * 100,
        train_loss=CURVE,
        lengths=np.arange(30),
        weights=np.zeros((40, 40)),
    )

    run = rv.open_run(tmp_path / "history.npz")

    assert set(run.names()) == {"train_loss", "lengths"}
    assert run["train_loss"].steps.tolist() == [100 * i for i in range(30)]


def test_the_curves_of_several_seeds_are_series_of_their_own(tmp_path):
    np.save(tmp_path / "rewards.npy", np.stack([CURVE, 2 * CURVE]))

    run = rv.open_run(tmp_path / "rewards.npy")

    assert run.names() == ["rewards/0", "rewards/1"]
    np.testing.assert_array_equal(run["rewards/1"].values, 2 * CURVE)


def test_curves_named_after_what_was_measured_are_one_run_whatever_their_lengths(tmp_path):
    np.save(tmp_path / "rewards.npy", CURVE)
    np.save(tmp_path / "losses.npy", np.linspace(2.0, 1.0, 300))
    np.save(tmp_path / "eval_rewards.npy", CURVE[:10])

    [run] = rv.open_runs(tmp_path)

    assert {name: len(run[name]) for name in run.names()} == {
        "rewards": 30,
        "losses": 300,
        "eval_rewards": 10,
    }
    assert {int(run[name].steps[-1]) for name in run.names()} == {299}


def test_curves_named_after_what_was_trained_are_runs_of_their_own(tmp_path):
    np.save(tmp_path / "rewards_dqn.npy", CURVE)
    np.save(tmp_path / "rewards_ppo.npy", 2 * CURVE)

    assert len(rv.open_runs(tmp_path)) == 2


@pytest.mark.parametrize(
    ("name", "arrays"),
    [
        ("features.npy", CURVE),
        ("TD3_weights.npy", CURVE),
        ("similarity_scores.npy", CURVE),
        ("HalfCheetah-v2_observations.npy", CURVE),
        ("x_train.npy", CURVE),
        ("y_train.npy", np.arange(50)),
        ("reward_map.npy", np.zeros((20, 20))),
        ("rewards.npy", np.array([{"a": 1}] * 20, object)),
        ("rewards.npy", CURVE[:3]),
        ("data.npz", {"x_train": np.zeros((30, 4)), "y_train": np.arange(30)}),
        ("replay.npz", {"observations": np.zeros((30, 4)), "actions": CURVE, "rewards": CURVE}),
    ],
)
def test_data_are_no_runs(tmp_path, name, arrays):
    if isinstance(arrays, dict):
        np.savez(tmp_path / name, **arrays)
    else:
        np.save(tmp_path / name, arrays, allow_pickle=arrays.dtype.hasobject)

    assert list(discover(tmp_path)) == []


def test_rewards_beside_the_actions_of_the_same_steps_are_data(tmp_path):
    np.save(tmp_path / "rewards.npy", CURVE)
    np.save(tmp_path / "actions.npy", CURVE)

    assert list(discover(tmp_path)) == []


def test_damaged_files_are_refused_and_nothing_else(tmp_path):
    whole = io.BytesIO()
    np.savez_compressed(whole, train_loss=CURVE, steps=np.arange(30))
    path = tmp_path / "history.npz"

    for data in damaged(whole.getvalue()):
        path.write_bytes(data)
        assert numpy_arrays.sniff(path, data) in (0, 30)
        try:
            numpy_arrays.read(path)
        except ReadError:
            continue


def test_an_array_that_claims_more_than_it_holds_is_not_read(tmp_path):
    path = tmp_path / "history.npz"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("train_loss.npy", array)

    assert numpy_arrays.sniff(path, path.read_bytes()) == 0
    with pytest.raises(ReadError, match="no curves"):
        numpy_arrays.read(path)
