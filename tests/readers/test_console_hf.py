# ruff: noqa: E501 - lines of real logs are long
import ast
import math

import pytest

from runvitals.model import ReadError
from runvitals.readers.console import hf_console
from runvitals.readers.raw.literals import parse_literal
from runvitals.readers.raw.source import head

NOISE = """\
[2024-01-01 10:00:00] [INFO] [config.py:1001:print] optimizer_params {'lr': 1e-05, 'betas': [0.9, 0.999], 'eps': 1e-08, 'weight_decay': 0.0}
{'train_batch_size': 8, 'zero_optimization': {'stage': 2}, 'gradient_clipping': 1.0}
INFO vllm: {'model': 'Qwen', 'max_model_len': 4096, 'dtype': 'bfloat16', 'seed': 0}
Updated tokens: {'eos_token_id': 2, 'pad_token_id': 0}.
{'prompt_tokens': 12, 'completion_tokens': 30}
"""


def write(folder, text, name="train.log"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def bar(count, total, words=""):
    return (
        f"\r{words}{100 * count // total:3d}%|██        | {count}/{total} [00:10<01:00,  1.0s/it]"
    )


def series(log, name):
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


def test_the_bar_before_a_row_gives_its_step(tmp_path):
    text = NOISE + bar(0, 30) + bar(7, 7, "Map: ")
    for step in (10, 20, 30):
        text += bar(step - 1, 30) + bar(step, 30) + "\r      \r"
        text += f"{{'loss': {1 / step}, 'grad_norm': nan, 'epoch': {step / 30:.2f}}}\n"
        if step == 20:
            text += bar(1, 4) + bar(4, 4) + "\r   \r{'eval_loss': 0.3, 'epoch': 0.67}\n"
    text += "{'train_runtime': 12.0, 'train_loss': 0.06, 'epoch': 1.0}\n"

    [log] = hf_console.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(10, 0.1), (20, 0.05), (30, 1 / 30)]
    assert series(log, "eval_loss") == [(20, 0.3)]
    assert series(log, "train_loss") == [(30, 0.06)]
    assert all(math.isnan(v) for _, v in series(log, "grad_norm"))
    assert set(log.points.names()) == {
        "loss", "grad_norm", "epoch", "eval_loss", "train_runtime", "train_loss",
    }  # fmt: skip
    assert log.warnings == []
    assert log.status == "finished"
    assert log.config["zero_optimization.stage"] == 2


def test_rows_that_come_after_all_bars_are_counted_by_the_bar_and_that_is_said(tmp_path):
    text = "".join(bar(n, 1875) for n in range(0, 1876, 5)) + "\n"
    text += "".join(f"{{'loss': {n}, 'epoch': {n / 100}}}\n" for n in range(1, 94))
    text += "{'train_runtime': 12.0, 'epoch': 1.0}\n"

    [log] = hf_console.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(20 * n, float(n)) for n in range(1, 94)]
    assert series(log, "train_runtime") == [(1875, 12.0)]
    assert any("times 20" in w for w in log.warnings)


def test_without_any_bar_rows_are_numbered_and_that_is_said(tmp_path):
    text = "{'loss': '0.5', 'epoch': '0.1'}\n{'loss': '0.4', 'epoch': '0.2'}\n{'eval_loss': '1', 'epoch': '0.2'}\n"

    [log] = hf_console.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(1, 0.5), (2, 0.4)]
    assert series(log, "eval_loss") == [(2, 1.0)]
    assert any("hold no step" in w for w in log.warnings)


def test_printed_logging_steps_are_used(tmp_path):
    text = "TrainingArguments(\n_n_gpu=1,\nlogging_steps=5,\nlearning_rate=2e-05,\nfp16=False,\n)\n"
    text += "".join(f"{{'loss': {n}, 'epoch': {n / 10}}}\n" for n in range(1, 4))

    [log] = hf_console.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(5, 1.0), (10, 2.0), (15, 3.0)]
    assert log.config["learning_rate"] == 2e-05


def test_a_step_in_the_row_counts_more_than_anything(tmp_path):
    text = "".join(
        bar(1, 9)
        + f"\n{{'loss': 0.5, 'epoch': 0.1, 'global_step/max_steps': '{n}/100', 'memory': '3GB'}}\n"
        for n in (10, 20, 30)
    )

    [log] = hf_console.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(10, 0.5), (20, 0.5), (30, 0.5)]


def test_every_row_printed_by_two_nodes_counts_once(tmp_path):
    text = "".join(f"{{'loss': {n}, 'epoch': {n / 10}}}\n" * 2 for n in range(1, 6))

    [log] = hf_console.READER.read(write(tmp_path, text))

    assert series(log, "loss") == [(n, float(n)) for n in range(1, 6)]


def test_a_run_that_stands_still_keeps_all_its_rows(tmp_path):
    text = "{'loss': 0.0, 'learning_rate': 1e-05, 'epoch': 0.01}\n" * 20

    [log] = hf_console.READER.read(write(tmp_path, text))

    assert len(series(log, "loss")) == 20


def test_a_restart_in_one_file_is_another_run(tmp_path):
    rows = "".join(f"{{'loss': {n}, 'epoch': {n / 100}}}\n" for n in range(1, 51))

    logs = hf_console.READER.read(write(tmp_path, rows + "restarting\n" + rows))

    assert [len(series(log, "loss")) for log in logs] == [50, 50]
    assert series(logs[1], "loss")[0] == (1, 1.0)


def test_a_crash_after_the_last_row_is_told(tmp_path):
    text = "{'loss': 1.0, 'epoch': 0.1}\nTraceback (most recent call last):\n"
    text += "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n"

    [log] = hf_console.READER.read(write(tmp_path, text))

    assert log.status == "crashed"
    assert any("CUDA out of memory" in w for w in log.warnings)


@pytest.mark.parametrize("text", [NOISE, "***** Running training *****\n" + bar(3, 9), "hello\n"])
def test_a_log_without_metrics_is_refused(tmp_path, text):
    path = write(tmp_path, text)

    assert hf_console.sniff(path, head(path)) < 20
    with pytest.raises(ReadError, match="no metrics were logged"):
        hf_console.READER.read(path)


def test_metrics_far_behind_the_noise_are_found(tmp_path):
    path = write(tmp_path, "loading weights ...\n" * 20_000 + "{'loss': 1.0, 'epoch': 0.1}\n" * 3)

    assert hf_console.sniff(path, head(path)) >= 60


@pytest.mark.parametrize(
    "text",
    [
        "{'a': 1, 'b': -2.5e-3, 'c': None, 'd': True, 'e': 'x\\'y', 'f': [1, (2, 3)], 'g': {}}",
        '{"loss": 1.5, "s": "it\'s"}',
        "{'n': {'m': {'k': 1}}, 'z': []}",
        "{1: 'x', 'y': 2,}",
    ],
)
def test_literals_equal_those_of_python(text):
    def plain(value):
        if isinstance(value, dict):
            return {str(k): plain(v) for k, v in value.items()}
        return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value

    assert parse_literal(text) == (plain(ast.literal_eval(text)), len(text))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{'a'",
        "{'a': ",
        "{'a': 1",
        "{'a': 1]",
        "{'a' 1}",
        "{'a': b c: 2}",
        "{" * 1000,
        "[(" * 500,
    ],
)
def test_what_is_no_literal_is_none(text):
    assert parse_literal(text) is None


def test_a_bar_that_is_drawn_again_after_a_row_gives_its_step(tmp_path):
    text = "***** Running training *****\n"
    text += "  Total train batch size (w. parallel, distributed & accumulation) = 1,024\n"
    for step in (10, 20, 30):
        text += bar(step - 1, 30) + "\r" + " " * 80 + "\r"  # wiped for the row
        text += f"{{'loss': {1 / step}, 'epoch': {step / 30:.2f}}}\n" + bar(step, 30)

    [log] = hf_console.READER.read(write(tmp_path, text + "\n"))

    assert series(log, "loss") == [(10, 0.1), (20, 0.05), (30, 1 / 30)]
    assert log.config["total_train_batch_size"] == 1024
