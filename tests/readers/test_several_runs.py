"""Files with more than one training in them, and trainings by more than one process."""

from __future__ import annotations

import json

import numpy as np
from tests.readers.logs import EPOCH, events

import runvitals as rv
from runvitals.readers.tabular import csv_log


def save(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def trial_and_training(path, trial=12, training=150):
    falling = [{"step": i, "reward": 1.0 - i / 10} for i in range(trial)]
    rising = [{"step": i, "reward": float(np.tanh(i / 40))} for i in range(training)]
    text = "\n".join(map(json.dumps, [*rising, *falling]))
    path.write_text(text + "\n")
    return path


def test_a_short_trial_beside_a_long_training_is_listed_and_raises_no_alarm(tmp_path):
    path = trial_and_training(tmp_path / "metrics.jsonl", trial=25)

    training, trial = rv.open_runs(path)

    assert (training.beside, trial.beside) == ("", training.id)
    assert rv.judge(training).verdict.word in ("learning", "learned")
    diagnosis = rv.judge(trial)
    assert diagnosis.verdict.word == "too early to tell"
    beside = f"{training.id}, the training of this file"
    assert diagnosis.verdict.reason.endswith(f" has only 25 points beside {beside}")
    assert not diagnosis.alarms


def test_open_run_gives_the_longest_run_of_a_file(tmp_path):
    path = trial_and_training(tmp_path / "metrics.jsonl", trial=25)

    run = rv.open_run(path)

    assert len(run["reward"]) == 150


def test_processes_in_one_table_are_pooled(tmp_path):
    rows = [(pid, episode, episode % 2) for episode in range(60) for pid in (71, 72, 73)]
    path = save(tmp_path / "episode_rewards.csv", "PID,Episode,Reward", rows)

    [log] = csv_log.read(path)

    steps, _, values = log.points.column("Reward")
    assert steps.tolist() == sorted(episode for _, episode, _ in rows)
    assert len(values) == 180
    assert "the rows of all `PID` are read as one series" in log.warnings[0]


def test_the_outcome_of_pooled_processes_does_not_depend_on_who_wrote_last(tmp_path):
    rows = [(pid, i, pid * 10 + i) for i in range(60) for pid in (1, 2, 3)]
    whole = rv.open_run(save(tmp_path / "all_rewards.csv", "PID,Episode,Reward", rows))
    half = rv.open_run(save(tmp_path / "half_rewards.csv", "PID,Episode,Reward", rows[::2]))

    assert whole.names() == half.names()


def test_an_event_file_whose_counter_starts_over_is_counted_on(tmp_path):
    stretches = np.split(np.tanh(np.arange(400) / 80), 10)
    for number, values in enumerate(stretches):
        rows = np.stack([values, -values], axis=1)
        events(
            tmp_path / f"part{number}",
            rows,
            names=("reward", "loss"),
            seconds=1.0,
            begun=EPOCH + 100.0 * number,
        )
    (tmp_path / "one").mkdir()
    files = [next(tmp_path.glob(f"part{n}/*tfevents*")) for n in range(10)]
    whole = b"".join(file.read_bytes() for file in files)
    (tmp_path / "one" / files[0].name).write_bytes(whole)

    [run] = rv.open_runs(tmp_path / "one")

    assert run["reward"].steps.tolist() == [100 * i for i in range(1, 401)]
    assert np.allclose(run["reward"].values, np.concatenate(stretches), atol=1e-6)
    assert (
        "the step counter starts over 9 times while the training goes on: counted on"
        in run.warnings
    )
