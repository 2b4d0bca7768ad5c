"""Numbers without names, in files that are called after them."""

import json
import math

import pytest

import runvitals as rv

VALUES = [round(-100 + 2 * i + 10 * math.sin(i), 3) for i in range(60)]
ROWS = list(enumerate(VALUES))


def one(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    [run] = rv.open_runs(tmp_path)
    return run


@pytest.mark.parametrize(
    ("name", "text", "series"),
    [
        ("scores.csv", "\n".join(f"{i},{x}" for i, x in ROWS), "scores"),
        ("scores_dueling.csv", "0\n" + "\n".join(map(str, VALUES)), "scores"),
        ("scores.csv", ",0\n" + "\n".join(f"{i},{x}" for i, x in ROWS), "scores"),
        ("episode_rewards.csv", "\n".join(f"{i},{x},{9 + i}" for i, x in ROWS), "episode_rewards"),
        ("rewards.txt", ",".join(map(str, VALUES)), "rewards"),
        ("rewards_log.txt", " ".join(map(str, VALUES)), "rewards"),
        ("ppo_scores.txt", repr(VALUES), "scores"),
    ],
    ids=["counted", "pandas", "pandas with index", "several", "one line", "spaces", "list"],
)
def test_the_file_says_what_its_numbers_are(tmp_path, name, text, series):
    assert one(tmp_path, name, text)[series].values.tolist() == VALUES


def test_splits_in_a_file_of_losses_are_losses(tmp_path):
    document = {"steps": list(range(0, 6000, 100)), "train": VALUES, "val": VALUES}

    run = one(tmp_path, "loss_history.json", json.dumps(document))

    assert run["val_loss"].steps.tolist() == document["steps"]
    assert run.bindings["val_loss"].metric == "eval/loss"


def test_a_list_that_was_cut_loses_its_last_number_and_says_so(tmp_path):
    run = one(tmp_path, "rewards.txt", ",".join(map(str, VALUES)) + ",-")

    assert run["rewards"].values.tolist() == VALUES
    assert "left out" in run.warnings[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("numbers.txt", ",".join(map(str, VALUES))),
        ("rewards.txt", "1, 2, 3"),
        ("rewards.txt", "see the paper, 3.1, 4, 5, 6, 7, 8, 9, 10, 11, 12"),
    ],
    ids=["called otherwise", "too few", "words"],
)
def test_other_numbers_are_not_a_run(tmp_path, name, text):
    (tmp_path / name).write_text(text)

    assert rv.open_runs(tmp_path) == []


def test_a_first_column_of_dates_is_the_time(tmp_path):
    stamps = [f"2025-06-12T17:{i // 60:02}:{i % 60:02}.5" for i in range(len(VALUES))]

    run = one(
        tmp_path, "loss_log.csv", "\n".join(f"{t},{x}" for t, x in zip(stamps, VALUES, strict=True))
    )

    assert run["loss"].values.tolist() == VALUES
    assert run["loss"].times[1] - run["loss"].times[0] == pytest.approx(1.0)
