# ruff: noqa: E501 - lines of logs are long

import pytest

from runvitals import open_run
from runvitals.model import ReadError
from runvitals.readers.console import key_value_text
from runvitals.readers.raw.source import head
from runvitals.testing import check


def write(folder, text, name="output.log"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def series(log, name):
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("step={} loss=0.5 lr=1e-4", "loss", 0.5),
        ("step: {}, loss: 0.5, reward: -1", "reward", -1.0),
        ("global_step={}, episodic_return=[12.]", "episodic_return", 12.0),
        ("global step={}, episodic return=11.0", "episodic return", 11.0),
        ("2024-01-01 10:00:00,123 INFO train: Epoch {}/99 | loss: 0.25 | acc: 91.5%", "acc", 0.915),
        (
            "2018-08-22 10:01:08,951 INFO Result for episode {}  of 90: Sum: -9.5, Length: 3",
            "Sum",
            -9.5,
        ),
        ("[Iteration {}] mean reward: nan, kl = 1,234.5", "kl", 1234.5),
        ("Step: {}, LR: 1e-05, Loss: np.float64(0.5), TPS: 123.4", "Loss", 0.5),
        ("Episode {}\tReward: 3.5 (avg)\tSteps: 20", "Reward", 3.5),
    ],
)
def test_pairs_are_read_in_many_spellings(tmp_path, line, name, value):
    path = write(tmp_path, "".join(line.format(n) + "\n" for n in (1, 2, 3, 4)))

    [log] = key_value_text.READER.read(path)

    assert key_value_text.sniff(path, head(path)) > 0
    assert series(log, name) == [(n, value) for n in (1, 2, 3, 4)]


def test_lines_that_count_differently_are_not_mixed(tmp_path):
    text = ""
    for n in range(1, 6):
        text += f"Iteration {n}: loss=0.{n}\n"
        text += f"Episode: {n * 100}, return: {n}\n"

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(n, n / 10) for n in range(1, 6)]
    assert series(log, "return") == [(n * 100, float(n)) for n in range(1, 6)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.txt", "Meeting at 10:30: step 1 is to call Bob.\nTotal: 12\n"),
        ("config.yaml", "step: 1\nloss: 2\n" * 5),
        ("code.py", "step = 1; loss = 2\nstep = 2; loss = 3\nstep = 3; loss = 4\n"),
        ("args.txt", "epochs: 10\nlr: 0.1\nbatch: 32\n"),
        ("a.log", '{"step": 1, "loss": 2}\n' * 5),
        ("b.log", "step=5 loss=1\n" * 50),
        ("c.log", ""),
        ("d.log", "\0\1\2step=1 loss=2\n" * 9),
    ],
)
def test_what_is_no_log_is_not_taken(tmp_path, name, text):
    path = write(tmp_path, text, name)

    assert key_value_text.sniff(path, head(path)) == 0


def test_text_without_rows_is_refused(tmp_path):
    with pytest.raises(ReadError, match="no metrics were logged"):
        key_value_text.READER.read(write(tmp_path, "hello: world\n"))


# Counts and steps


def test_an_epoch_and_the_batch_within_it_are_one_axis(tmp_path):
    lines = [
        f"Epoch [{epoch}/3], Step [{batch}/400], Loss: {epoch}.{batch}\n"
        for epoch in (1, 2, 3)
        for batch in (100, 200, 300, 400)
    ]

    [log] = key_value_text.READER.read(write(tmp_path, "".join(lines)))

    steps = [step for step, _ in series(log, "Loss")]
    assert steps == list(range(100, 1201, 100))
    assert [int(v) for _, v in series(log, "Epoch")] == [1] * 4 + [2] * 4 + [3] * 4


def test_the_end_of_an_epoch_stands_at_its_last_batch(tmp_path):
    text = ""
    for epoch in range(2):
        text += "".join(f"epoch {epoch} batch {b}/4 loss {b}.5\n" for b in (1, 2, 3, 4))
        text += f"epoch {epoch}: val_loss: 0.{epoch + 1}\n"

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert [step for step, _ in series(log, "loss")] == list(range(1, 9))
    assert series(log, "val_loss") == [(4, 0.1), (8, 0.2)]


def test_many_rows_to_an_epoch_without_a_batch_are_counted_within_it(tmp_path):
    text = "".join(f"Epoch {e} - Batch loss: {e}.{b}\n" for e in (1, 2, 3) for b in range(5))

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert [step for step, _ in series(log, "Batch loss")] == list(range(15))


def test_a_global_step_beside_an_epoch_is_taken_as_it_is(tmp_path):
    text = "".join(f"Epoch {n // 4} | Step {n}/12 | loss: 0.{n}\n" for n in range(1, 10))

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert [step for step, _ in series(log, "loss")] == list(range(1, 10))


def test_two_trainings_one_after_the_other_are_two_runs(tmp_path):
    one = "".join(
        f"Epoch {e} [{b}/3]\tLoss: {e}.{b}\n" for e in (1, 2, 3, 4, 5, 6, 7, 8) for b in (1, 2, 3)
    )

    logs = key_value_text.READER.read(write(tmp_path, one + one))

    assert [len(series(log, "Loss")) for log in logs] == [24, 24]


def test_values_below_a_heading_belong_to_it(tmp_path):
    text = "Epochs: 9\nbatch size: 32\nlr: 0.1\n"
    for n in (10, 20, 30):
        text += f"2024-01-01 10:00:{n}.5\thost:0\tolmo.train:990\tINFO\t[step={n}/1000,epoch=0]\n"
        text += f"    train/CrossEntropyLoss={n}.5\n    throughput/total_tokens=1,0{n}\n"
        text += "Saving checkpoint 12 to disk\n    answer=42\n"

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "train/CrossEntropyLoss") == [(n, n + 0.5) for n in (10, 20, 30)]
    assert series(log, "throughput/total_tokens") == [(n, 1000.0 + n) for n in (10, 20, 30)]
    assert set(log.points.names()) == {
        "train/CrossEntropyLoss", "throughput/total_tokens", "epoch",
    }  # fmt: skip


def test_keras_rows_are_those_at_the_end_of_an_epoch(tmp_path):
    text = ""
    for n in (1, 2, 3):
        text += f"Epoch {n}/3\n"
        text += "\r 1/10 [>.........] - ETA: 1s - loss: 9.0\x08\x08\x08\x08"
        text += f"10/10 [==========] - 2s 20ms/step - loss: 0.{n} - accuracy: 0.9 - val_loss: 0.5\n"

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(1, 0.1), (2, 0.2), (3, 0.3)]
    assert series(log, "ms/step") == [(n, 20.0) for n in (1, 2, 3)]


def test_a_bar_counts_once_at_each_position(tmp_path):
    text = ""
    for epoch in (0, 1):
        for n in (0, 1, 1, 2, 2, 3):
            text += f"\rEpoch {epoch}:  10%|█  | {n}/3 [00:01<00:02, 1.5it/s, v_num=0, loss={epoch}.{n}]"
        text += "\n"
    text += "\rMap:  10%|█  | 5/9 [00:01<00:02, 99.5 examples/s]\n"

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(1, 0.1), (2, 0.2), (3, 0.3), (4, 1.1), (5, 1.2), (6, 1.3)]
    assert set(log.points.names()) == {"loss", "Epoch"}


def test_what_a_validation_prints_is_kept_apart_from_training(tmp_path):
    text = "".join(
        f"[train] epoch {n} loss 0.5 acc 0.1\n[valid] epoch {n} loss 0.{n} acc 0.2\n"
        for n in (1, 2, 3)
    )

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(n, 0.5) for n in (1, 2, 3)]
    assert series(log, "valid/loss") == [(n, n / 10) for n in (1, 2, 3)]


def test_rows_without_any_count_are_counted(tmp_path):
    text = "".join(f"SPS: {1000 + n}, pg_loss=0.{n}, value_loss=0.5\n" for n in range(8))

    [log] = key_value_text.READER.read(path := write(tmp_path, text))

    assert key_value_text.sniff(path, head(path)) > 0
    assert series(log, "pg_loss") == [(n, n / 10) for n in range(8)]


def test_dates_before_the_lines_are_the_times_of_the_rows(tmp_path):
    text = "".join(f"2024-01-01 00:00:0{n},500 - INFO - step {n}: loss 0.5\n" for n in (1, 2, 3))

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert (log.points.column("loss")[1] - 1704067200.5).tolist() == [1.0, 2.0, 3.0]


def test_a_log_in_utf_16_as_powershell_writes_it_is_read(tmp_path):
    path = tmp_path / "output.log"
    path.write_bytes(
        "".join(f"Episode {n}: reward {n}.5\r\n" for n in range(1, 6)).encode("utf-16")
    )

    [log] = key_value_text.READER.read(path)

    assert key_value_text.sniff(path, head(path)) > 0
    assert series(log, "reward") == [(n, n + 0.5) for n in range(1, 6)]


def test_a_log_that_was_emptied_while_it_was_written_is_read(tmp_path):
    path = tmp_path / "train.log"
    path.write_bytes(b"\0" * 9000 + b"".join(b"step %d loss 0.5\n" % n for n in range(700, 710)))

    [log] = key_value_text.READER.read(path)

    assert key_value_text.sniff(path, head(path)) > 0
    assert len(series(log, "loss")) == 10


@pytest.mark.parametrize(
    "text",
    [
        "".join(f'10.0.0.{n} - - [01/Jan/2024:10:00:0{n}] "GET /a HTTP/1.1" 200 {n}12\n' for n in range(9)),
        "".join(f"2024-01-01 10:00:0{n} INFO worker: request {n} took {n}2 ms\n" for n in range(9)),
        "".join(f"Collecting torch=={n}.1.0\n  Downloading torch-{n}.1.0.whl (12.{n} MB)\n" for n in range(9)),
        "".join(f"tests/test_{n}.py::test_a PASSED [ {n}0%]\n" for n in range(9)) + "9 passed in 1.2s\n",
        "".join(f"user: what is {n} + {n}?\nassistant: Step {n}: {n} + {n} = {n + n}\n" for n in range(9)),
        "".join(f"Step {n}: total = {n}2\n" for n in range(1, 9)),
        "".join(f"Step {n}/9 : RUN pip install x:{n}.5\n" for n in range(1, 9)),
        "".join(f"\rDownloading: 1{n}%|##  | {n}/9 [00:01<00:02, 3.5MB/s, left={n}]" for n in range(9)),
        "".join(f"Answer: {n}\n" for n in range(99)),
    ],
    ids=["access", "service", "pip", "pytest", "chat", "steps of a solution", "docker", "download", "answers"],
)  # fmt: skip
def test_logs_of_other_programs_are_not_taken(tmp_path, text):
    path = write(tmp_path, text)

    assert key_value_text.sniff(path, head(path)) == 0


def test_an_epoch_that_other_lines_tell_is_part_of_the_axis(tmp_path):
    text = ""
    for epoch in (1, 2, 3):
        text += "".join(f"step {n} loss 0.{n}\n" for n in range(5))
        text += f"Epoch {epoch} avg-loss 0.5\n"

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert [step for step, _ in series(log, "loss")] == list(range(15))
    assert series(log, "avg-loss") == [(1, 0.5), (2, 0.5), (3, 0.5)]


def test_a_count_may_stick_to_its_word(tmp_path):
    text = "".join(f"[E{e}] step {n} loss 0.{n}\n" for e in (1, 2) for n in range(5))

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert [step for step, _ in series(log, "loss")] == list(range(10))


def test_batches_of_a_validation_stand_where_the_training_does(tmp_path):
    text = ""
    for epoch in (1, 2):
        text += "".join(f"- Train | Epoch {epoch} | {n}/30 | Loss 0.5\n" for n in (10, 20, 30))
        text += "".join(f"- Valid | Epoch {epoch} | {n}/2 | Loss 0.{epoch}\n" for n in (1, 2))

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert [step for step, _ in series(log, "Loss")] == [10, 20, 30, 40, 50, 60]
    assert sorted(set(series(log, "valid/Loss"))) == [(30, 0.1), (60, 0.2)]


@pytest.mark.parametrize(
    "table",
    [
        "   EP    Reward   Drop Rate   Loss\n------------------\n" + "".join(f"  {n}0   -{n}.50   {n}.0%   0.5  [1{n}s]\n" for n in range(1, 6)),
        "EP | Reward | Drop Rate | Loss\n---+---+---+---\n" + "".join(f"{n}0 | -{n}.50 | {n}.0% | 0.5\n" for n in range(1, 6)),
    ],
    ids=["blanks", "bars"],
)  # fmt: skip
def test_a_table_that_is_printed_row_by_row_is_read(tmp_path, table):
    [log] = key_value_text.READER.read(
        path := write(tmp_path, "Loading data\n" + table + "Saved 3 files\n")
    )

    assert key_value_text.sniff(path, head(path)) > 0
    assert series(log, "Reward") == [(n * 10, -n - 0.5) for n in range(1, 6)]
    assert [v for _, v in series(log, "Drop Rate")] == pytest.approx([n / 100 for n in range(1, 6)])


def test_values_of_several_things_below_a_count_are_kept_apart(tmp_path):
    text = "".join(
        f"Epoch {n}: loss 0.5\n  Cats: precision: 0.{n}\n  Dogs: precision: 0.9\n"
        for n in (1, 2, 3)
    )

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "Cats/precision") == [(1, 0.1), (2, 0.2), (3, 0.3)]
    assert series(log, "Dogs/precision") == [(n, 0.9) for n in (1, 2, 3)]


def test_how_fast_a_prediction_was_is_no_row(tmp_path):
    text = "".join(f"Episode {n} reward 1.5\n1/1 [====] - 0s 13ms/step\n" for n in range(1, 5))

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert set(log.points.names()) == {"Episode", "reward"}


def test_the_steps_of_a_followed_log_go_on_through_its_epochs(tmp_path):
    def lines(epochs):
        return "".join(f"Epoch {e} [{b}/3]\tLoss: 0.{b}\n" for e in epochs for b in (1, 2, 3))

    path = write(tmp_path, lines([1, 2]))
    [log] = key_value_text.READER.read(path)
    for epoch in (3, 4):
        with path.open("a") as file:
            file.write(lines([epoch]))
        log.add(log.read_new())

    assert [step for step, _ in series(log, "Loss")] == list(range(1, 13))


def test_counts_that_never_move_are_settings(tmp_path):
    text = "Episodes: 500 | State: 23\nEpisodes: 500 | Actions: 4\n"
    text += "".join(f"Episode {n} | reward: {n}.5\n" for n in range(1, 6))

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert set(log.points.names()) == {"Episode", "reward"}
    assert log.warnings == []


@pytest.mark.parametrize("first", ["iter={0} timesteps={1:.4g}", "timesteps={1:.4g}"])
def test_a_count_that_grows_into_an_exponent_stays_the_same_count(tmp_path, first):
    line = first + " avg_reward={0} loss={2:.4g}"
    rows = [line.format(i, 512 * (i + 1), 1 / (i + 1)) for i in range(40)]
    (tmp_path / "train.log").write_text("\n".join(rows) + "\n")

    reward = open_run(tmp_path)["avg_reward"]

    assert reward.values.tolist() == list(range(40))
    assert reward.steps[-1] == 20_480


def test_several_dated_lines_of_one_step_keep_that_step(tmp_path):
    lines = [
        f"2024-01-01 10:00:{i:02},123 INFO [PPO:{kind}] step={2048 * (i + 1)} {values}"
        for i in range(20)
        for kind, values in (
            ("rollout", "reward_mean=0.8 return_mean=8.4"),
            ("update", "pi_loss=-0.01 entropy=1.1"),
            ("temperature", "current_temperature=1.1"),
            ("reward_breakdown", "reward=0.8 delta_score=0.1"),
        )
    ]

    [log] = key_value_text.READER.read(write(tmp_path, "\n".join(lines) + "\n"))

    steps = [2048 * (i + 1) for i in range(20)]
    assert [step for step, _ in series(log, "reward_mean")] == steps
    assert [step for step, _ in series(log, "pi_loss")] == steps


def test_counts_and_values_on_lines_of_their_own_between_drawn_lines(tmp_path):
    box = "*****\nsteps: {}\nepisodes: {}\nmean 100 episode reward: {}\n% time spent exploring: {}\n*****\n"
    text = "".join(box.format(810 * i, 10 * i, i - 20.5, 100 - i) for i in range(1, 8))
    path = write(tmp_path, text)

    [log] = key_value_text.READER.read(path)

    assert key_value_text.sniff(path, head(path)) > 0
    assert series(log, "mean 100 episode reward") == [(810 * i, i - 20.5) for i in range(1, 8)]
    assert series(log, "% time spent exploring")[0] == (810, 99.0)


def test_a_box_of_settings_is_not_a_row(tmp_path):
    text = "=====\nEpochs: 10\nSteps: 500\nlr: 0.001\n=====\n"
    text += "".join(f"Epoch {i}/10 loss: {1 / i:.3f}\n" for i in range(1, 11))

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "loss")[0] == (1, 1.0)
    assert "lr" not in log.points.names()


@pytest.mark.parametrize("inner", ["", "epoch={e} "], ids=["alike", "counted within"])
def test_lines_of_one_step_stay_at_that_step(tmp_path, inner):
    line = f"[PPO:update] step={{s}} {inner}approx_kl=0.0{{e}}1\n"
    text = "".join(
        "".join(line.format(s=2048 * i, e=e) for e in range(4)) + f"step={2048 * i} reward={i}.5\n"
        for i in range(1, 21)
    )

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "reward")[-1] == (40_960, 20.5)
    assert [step for step, _ in series(log, "approx_kl")][-4:] == [40_960] * 4


def test_a_line_with_the_share_done_announces_the_counts_beside_it(tmp_path):
    text = "".join(
        f"[update {i}/9] timesteps={512 * i}\n  ep_rew_mean={i}.5\n  vf_loss=0.{i}\n"
        for i in range(1, 10)
    )

    [log] = key_value_text.READER.read(write(tmp_path, text))

    assert series(log, "ep_rew_mean")[-1] == (4608, 9.5)
    assert series(log, "vf_loss")[-1] == (4608, 0.9)


def test_rewards_by_episode_and_losses_by_step_are_kept_apart(tmp_path):
    lines = []
    for i in range(100):
        lines.append(f"Episode {i} reward: {i + i % 7}")
        lines += [f"step {5 * i + k} loss: {2 / (1 + i) + k / 10}" for k in range(5)]
    (tmp_path / "train.log").write_text("\n".join(lines))

    run = open_run(tmp_path)

    assert run.counted_by["loss"] == "step"
    assert "reward" not in run.counted_by
    assert check(run, "REW013") == []


def test_what_a_logger_says_of_itself_in_brackets_is_not_part_of_the_message(tmp_path):
    said = "\x1b[32m[2025-10-21 01:17:{} resnet18]\x1b[0m\x1b[33m(main.py 118)\x1b[0m: INFO  * Val Acc {} Val Loss {}\n"
    text = "".join(said.format(10 + n, 50 + n / 2, 1.3 - n / 50) for n in range(20))

    run = open_run(write(tmp_path, text))

    assert set(run.metrics()) >= {"eval/supervised/accuracy", "eval/loss"}
    assert run["Val Loss"].values[-1] == pytest.approx(0.92)


def test_a_number_before_a_colon_counts_where_nothing_else_does(tmp_path):
    lines = [f"{9_995 + i}: done 5 episodes, mean_reward={i}.50, speed=44.1 f/s" for i in range(9)]

    run = open_run(write(tmp_path, "\n".join(lines)))

    assert series(run, "mean_reward")[:2] == [(9_995, 0.5), (9_996, 1.5)]


def test_the_label_of_a_rank_does_not_count(tmp_path):
    lines = [f"{rank}: step {i} loss 0.{i}" for i in range(1, 9) for rank in (0, 1)]

    run = open_run(write(tmp_path, "\n".join(lines)))

    assert [step for step, _ in series(run, "loss")][-1] == 8


@pytest.mark.parametrize(("rows", "taken"), [(30, True), (3, False)])
def test_notes_are_a_log_if_most_of_their_lines_are_rows(tmp_path, rows, taken):
    text = "# DDPG\n\n- Solved at 3800.\n- Sets done by itself.\n- Ran overnight on one machine.\n"
    text += "\n".join(f"Episode: {100 * i}  Avg: {30 + i}.5  Steps: {90 * i}" for i in range(rows))
    path = write(tmp_path, text, "hopper.md")

    assert bool(key_value_text.READER.sniff(path, head(path))) == taken
