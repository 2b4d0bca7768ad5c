# ruff: noqa: E501 - outputs of notebooks are long
import json

import pytest

from runvitals.model import ReadError
from runvitals.readers.console import notebook
from runvitals.readers.discovery.discover import discover
from runvitals.readers.open import open_run, open_runs
from runvitals.readers.raw.source import head


def code(source, *outputs):
    return {
        "cell_type": "code",
        "source": source.splitlines(keepends=True),
        "outputs": list(outputs),
    }


def stream(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}


def shown(html):
    return {"output_type": "display_data", "data": {"text/html": [html], "text/plain": ["<obj>"]}}


def result(text):
    return {"output_type": "execute_result", "data": {"text/plain": [text]}}


def error(name, value=""):
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": ["..."]}


def trainer_table(names, rows, done=None, total=None):
    cells = "".join(f"<th>{name}</th>\n" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{v}</td>\n" for v in row) + "</tr>\n" for row in rows)
    done = len(rows) if done is None else done
    return shown(
        f"<div><progress value='{done}' max='{total or done}'></progress>\n"
        f"[{done}/{total or done} 00:10, Epoch 1/3]</div>\n"
        f'<table border="1" class="dataframe"><thead><tr style="text-align: left;">{cells}</tr></thead>'
        f"<tbody>{body}</tbody></table><p>"
    )


def frame(names, rows, index=True, whole=None):
    cells = "".join(f"<th>{name}</th>" for name in ([""] if index else []) + names)
    body = "".join(
        "<tr>"
        + (f"<th>{n}</th>" if index else "")
        + "".join(f"<td>{v}</td>" for v in row)
        + "</tr>"
        for n, row in enumerate(rows)
    )
    note = f"<p>{whole} rows × {len(names)} columns</p>" if whole else ""
    return shown(
        f'<table class="dataframe"><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>{note}'
    )


def write(folder, *cells, name="train.ipynb"):
    path = folder / name
    path.write_text(json.dumps({"cells": list(cells), "nbformat": 4, "metadata": {}}, indent=1))
    return path


def series(run, name):
    steps, _, values = run.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


GRPO = [["1", "0.1", "-1.5", "0.5", "200"], ["2", "0.2", "2.5", "0.25", "100"]]


def test_the_trainers_table_gets_back_the_names_it_logs(tmp_path):
    path = write(
        tmp_path,
        code("!pip install trl\nargs = GRPOConfig(learning_rate=5e-6, beta=0.04, run=name())"),
        code(
            "trainer = GRPOTrainer(args=args)\ntrainer.train()",
            trainer_table(
                ["Step", "Training Loss", "reward", "reward_std", "completions / mean_length"], GRPO
            ),
            result(
                "TrainOutput(global_step=2, training_loss=0.15, metrics={'train_runtime': 9.5, 'train_loss': 0.15})"
            ),
        ),
    )

    run = open_run(path)

    assert notebook.sniff(path, head(path)) > 80
    assert run.name == "train"
    assert (run.framework, run.algorithm, run.status) == ("trl", "GRPO", "finished")
    assert series(run, "loss") == [(1, 0.1), (2, 0.2)]
    assert series(run, "reward") == [(1, -1.5), (2, 2.5)]
    assert series(run, "completions/mean_length") == [(1, 200.0), (2, 100.0)]
    assert series(run, "train_runtime") == [(2, 9.5)]
    assert run.config["learning_rate"] == 5e-6
    assert "run" not in run.config
    assert "reward/score_mean" in run.metrics()


def test_what_an_evaluation_gave_is_kept_apart(tmp_path):
    names = ["Step", "Training Loss", "Validation Loss", "Rewards/chosen", "Mean Token Accuracy"]
    rows = [["10", "No log", "0.7", "0.1", "0.5"], ["20", "0.5", "0.6", "0.2", "0.6"]]

    run = open_run(write(tmp_path, code("trainer.train()", trainer_table(names, rows, 20, 30))))

    assert series(run, "loss") == [(20, 0.5)]
    assert series(run, "eval_loss") == [(10, 0.7), (20, 0.6)]
    assert series(run, "eval_rewards/chosen") == [(10, 0.1), (20, 0.2)]
    assert series(run, "eval_mean_token_accuracy") == [(10, 0.5), (20, 0.6)]
    assert run.status == "unknown"
    assert run.config["max_steps"] == 30


def test_several_trainings_are_several_runs(tmp_path):
    names = ["Step", "Training Loss"]
    first = trainer_table(names, [["1", "0.5"], ["2", "0.4"]])
    path = write(
        tmp_path,
        code("for x in y: train(x)", first, trainer_table(names, [["1", "0.9"], ["2", "0.8"]])),
        {"cell_type": "markdown", "source": ["text"]},
        code("train(z)", trainer_table(names, [["1", "0.7"]]), error("KeyboardInterrupt")),
    )

    runs = open_runs(path)

    assert sorted(run.name for run in runs) == ["train cell 1", "train cell 1 #2", "train cell 3"]
    by_name = {run.name: run for run in runs}
    assert series(by_name["train cell 1 #2"], "loss") == [(1, 0.9), (2, 0.8)]
    assert by_name["train cell 3"].status == "crashed"
    assert "KeyboardInterrupt" in by_name["train cell 3"].provenance["ended_with"]


def test_a_table_that_was_drawn_twice_is_one_training(tmp_path):
    names = ["Step", "Training Loss"]
    rows = [["1", "0.5"], ["2", "0.4"], ["3", "0.3"]]

    [run] = open_runs(
        write(tmp_path, code("t()", trainer_table(names, rows[:2]), trainer_table(names, rows)))
    )

    assert len(series(run, "loss")) == 3


def test_a_table_that_was_cut_gives_what_it_has(tmp_path):
    whole = trainer_table(["Step", "Training Loss"], [["1", "0.5"], ["2", "0.4"], ["3", "0.3"]])
    html = whole["data"]["text/html"][0]
    cut = shown(html[: html.index("0.3")])

    run = open_run(write(tmp_path, code("t()", cut)))

    assert series(run, "loss") == [(1, 0.5), (2, 0.4)]


def test_printed_rows_take_their_steps_from_the_table_beside_them(tmp_path):
    text = "".join(f"{{'loss': 0.{n}, 'grad_norm': {n}.5, 'epoch': 0.{n}}}\n" for n in (1, 2, 3))
    table = trainer_table(["Step", "Training Loss"], [["10", "0.1"], ["20", "0.2"], ["30", "0.3"]])

    run = open_run(write(tmp_path, code("t()", stream(text[:30]), table, stream(text[30:]))))

    assert series(run, "grad_norm") == [(10, 1.5), (20, 2.5), (30, 3.5)]


def test_printed_rows_alone_are_placed_by_the_arguments_in_the_code(tmp_path):
    text = "".join(f"{{'loss': 0.{n}, 'epoch': 0.{n}}}\n" for n in (1, 2, 3))

    run = open_run(
        write(tmp_path, code("a = TrainingArguments(logging_steps=50)"), code("t()", stream(text)))
    )

    assert series(run, "loss") == [(50, 0.1), (100, 0.2), (150, 0.3)]


def test_a_printed_loop_is_read_through_pieces_and_redrawn_lines(tmp_path):
    text = "".join(f"\rEpisode {n}\tAverage Score: {n}.5" for n in range(1, 20)) + "\n"

    run = open_run(write(tmp_path, code("loop()", stream(text[:33]), stream(text[33:]))))

    assert series(run, "Average Score") == [(n, n + 0.5) for n in range(1, 20)]


def test_keras_progress_is_read(tmp_path):
    text = "".join(
        f"Epoch {n}/3\n\x1b[1m1/9\x1b[0m ━━━ 1s 2s/step - loss: 9.0\x08\x08\x08\r\x1b[1m9/9\x1b[0m ━━━ 1s 20ms/step - loss: 0.{n} - val_loss: 0.5\n"
        for n in (1, 2, 3)
    )

    run = open_run(write(tmp_path, code("model.fit(x, epochs=3, batch_size=8)", stream(text))))

    assert series(run, "loss") == [(1, 0.1), (2, 0.2), (3, 0.3)]
    assert run.config["batch_size"] == 8


def test_a_data_frame_that_is_a_history_is_read(tmp_path):
    rows = [[n, f"0.{n}", "note"] for n in range(1, 8)]

    run = open_run(
        write(tmp_path, code("history", frame(["epoch", "val_loss", "text"], rows, whole=500)))
    )

    assert series(run, "val_loss") == [(n, n / 10) for n in range(1, 8)]
    assert any("7 of the 500 rows" in warning for warning in run.warnings)


@pytest.mark.parametrize(
    "cells",
    [
        [code("1 + 1", result("2"))],
        [code("plot()", {"output_type": "display_data", "data": {"image/png": "AAAA"}})],
        [code("df.head()", frame(["Episode", "reward"], [[n, n] for n in range(5)]))],
        [code("df", frame(["name", "score"], [[f"a{n}", n] for n in range(9)]))],
        [code("df", frame(["date", "close"], [[n, n] for n in range(9)]))],
        [code("t()", trainer_table(["Step", "Training Loss"], []))],
        [code("ask()", stream("".join(f"Question {n}: 3 + {n} = {n + 3}\nStep 1: add {n}\n" for n in range(9))))],
        [code("!pip install torch", stream("".join(f"Collecting a=={n}.0\n" for n in range(9))))],
        [{"cell_type": "markdown", "source": "step 1: loss 0.5\nstep 2: loss 0.4\nstep 3: loss 0.3"}],
    ],
)  # fmt: skip
def test_a_notebook_without_a_training_is_no_log(tmp_path, cells):
    path = write(tmp_path, *cells)

    assert notebook.sniff(path, head(path)) == 0
    assert list(discover(tmp_path)) == []


def test_pictures_are_passed_over_while_the_file_is_read(tmp_path):
    table = trainer_table(["Step", "Training Loss"], [["1", "0.5"], ["2", "0.4"], ["3", "0.3"]])
    picture = {
        "output_type": "display_data",
        "data": {"image/png": "A" * 1_000_000, "text/plain": "<Figure>"},
    }

    run = open_run(write(tmp_path, code("plot()", picture, picture), code("t()", table, picture)))

    assert len(series(run, "loss")) == 3


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"cells": 3}', '{"cells": [3, {"cell_type": "code", "outputs": 4}]}',
     '{"cells": [{"cell_type": "code", "source": 3, "outputs": [{"output_type": "stream", "text": {}}]}]}'],
)  # fmt: skip
def test_what_is_broken_is_no_log(tmp_path, text):
    path = tmp_path / "a.ipynb"
    path.write_text(text)

    assert notebook.sniff(path, head(path)) == 0
    with pytest.raises(ReadError):
        notebook.read(path)


def test_the_old_form_of_notebooks_is_read(tmp_path):
    path = tmp_path / "old.ipynb"
    text = "".join(f"step {n}: loss 0.{n}\n" for n in range(1, 6))
    cell = {
        "cell_type": "code",
        "input": ["x"],
        "outputs": [{"output_type": "stream", "stream": "stdout", "text": [text]}],
    }
    path.write_text(json.dumps({"worksheets": [{"cells": [cell]}], "nbformat": 3}))

    assert series(open_run(path), "loss") == [(n, n / 10) for n in range(1, 6)]


def test_code_is_read_and_never_run(tmp_path):
    path = write(
        tmp_path,
        code(
            "a = DPOConfig(beta=0.1, x=__import__('os').system('false'), lr=1 * 2)\nraise SystemExit"
        ),
        code("t()", trainer_table(["Step", "Training Loss"], [["1", "0.5"]])),
    )

    run = open_run(path)

    assert run.config["beta"] == 0.1
    assert not {"x", "lr"} & set(run.config)


def test_rows_without_an_outcome_stand_beside_the_training_however_many_they_are(tmp_path):
    training = "".join(
        f"Episodes done: {n}, average reward: {n / 2}, average loss: {9 / n:.3f}\n"
        for n in range(1, 60)
    )
    played = "".join(
        f"-1.0 {{'lives': {3 - n // 300}, 'episode_frame_number': {4 * n}, 'frame_number': {4 * n}}}\n"
        for n in range(900)
    )
    cells = [code("train()", stream(training)), code("play()", stream(played))]
    path = tmp_path / "pacman.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))

    training, played = open_runs(path)

    assert "average reward" in training.names()
    assert (training.beside, played.beside) == ("", training.id)
