"""Consoles of real runs, against plain parses of them and the files beside them."""

import ast
import csv
import json
import re

import pytest
from tests.outside import outside

from runvitals.model import ReadError
from runvitals.readers.console import hf_console, key_value_text, sb3_tables, verl_console
from runvitals.readers.raw.source import head

CORPUS = outside("corpus")


def series(log, name):
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "rows", "first", "last"),
    [
        ("public/trl-grpo-hotpotqa-kl/grpo.log", 93, 20, 1860),
        ("public/trl-grpo-hotpotqa-fixed/grpo_v2.log", 46, 20, 920),
        ("public/trl-grpo-dead-signal/log_adq_seed42.txt", 50, 1, 50),
    ],
)
def test_public_logs_give_all_their_rows(name, rows, first, last):
    path = CORPUS / name
    text = path.read_text().replace("\r", "\n")
    expected = [
        float(ast.literal_eval(line)["grad_norm"]) for line in re.findall(r"\{'loss'.*\}", text)
    ]

    [log] = hf_console.READER.read(path)

    steps, _, values = log.points.column("grad_norm")
    assert values.tolist() == expected
    assert (len(steps), int(steps[0]), int(steps[-1])) == (rows, first, last)
    assert hf_console.sniff(path, head(path)) == 80


def twins():
    return sorted(p for p in CORPUS.glob("trl-tiny-*/console.log"))


@pytest.mark.parametrize("path", twins(), ids=lambda p: p.parent.name)
def test_a_console_tells_what_the_trainer_state_beside_it_tells(path):
    history = json.loads(path.with_name("trainer_state.json").read_text())["log_history"]

    [log] = hf_console.READER.read(path)

    for name in ("loss", "eval_loss", "train_loss", "reward", "learning_rate", "kl"):
        expected = [(e["step"], e[name]) for e in history if name in e]
        if expected and name in log.points.names():
            found = series(log, name)
            assert [s for s, _ in found] == [s for s, _ in expected], name
            for (_, value), (_, exact) in zip(found, expected, strict=True):
                assert value == pytest.approx(exact, rel=1e-3, abs=1e-4) or value != value


def test_wandb_output_log():
    path = CORPUS / "public" / "cacla-wandb-offline-flat" / "output.log"
    expected = [
        (int(line.split(",")[0].split(":")[1]), float(line.rsplit(":", 1)[1]))
        for line in path.read_text().splitlines()
        if line.startswith("Episode:")
    ]

    [log] = key_value_text.READER.read(path)

    assert key_value_text.sniff(path, head(path)) > 0
    assert series(log, "Total Reward") == expected
    assert len(expected) == 555


def test_no_readme_of_the_corpus_is_taken_for_a_log():
    for path in CORPUS.rglob("*.md"):
        assert key_value_text.sniff(path, head(path)) == 0, path


def boxes():
    return sorted(CORPUS.glob("sb3-*/log.txt"))


@pytest.mark.parametrize("path", boxes(), ids=lambda p: p.parent.name)
def test_boxes_agree_with_the_csv_beside_them(path):
    with open(path.with_name("progress.csv"), newline="") as file:
        rows = list(csv.DictReader(file))

    [log] = sb3_tables.READER.read(path)

    assert sb3_tables.READER.sniff(path, head(path)) == 85
    assert log.framework == "stable-baselines3"
    for name in ("rollout/ep_rew_mean", "train/loss", "train/value_loss", "eval/mean_reward"):
        expected = [
            (int(float(row["time/total_timesteps"])), float(row[name]))
            for row in rows
            if row.get(name)
        ]
        if expected:
            found = series(log, name)
            assert [step for step, _ in found] == [step for step, _ in expected]
            assert [v for _, v in found] == pytest.approx([v for _, v in expected], rel=1e-2)


def test_baselines_tables_are_read_whole():
    path = CORPUS / "public" / "baselines-deepcars" / "log.txt"

    [log] = sb3_tables.READER.read(path)

    found = series(log, "mean 100 episode reward")
    assert len(found) == path.read_text().count("| mean 100 episode reward") == 178
    assert found[0] == (1140, 9.5)
    assert found[-1] == (1971664, 236.4)
    assert log.config["alg"] == "deepq"


@pytest.mark.parametrize(
    ("name", "steps", "settings"),
    [
        ("public/verl-reward-v6/train_v6_reward.log", 192, 463),
        ("public/verl-single-sample-grpo/train_300steps.log", 300, 463),
        ("verl-sim-grpo/console.log", 24, 0),
    ],
)
def test_corpus_logs_equal_a_plain_parse(name, steps, settings):
    path = CORPUS / name
    expected = {}
    for line in re.findall(r"step:\d+ - .*", path.read_text(errors="replace")):
        pairs = [piece.rsplit(":", 1) for piece in line.strip().split(" - ")]
        for key, value in pairs[1:]:
            value = re.sub(r"np\.float64\((.*)\)", r"\1", value)
            expected.setdefault(key, []).append((int(pairs[0][1]), float(value)))

    [log] = verl_console.READER.read(path)

    assert verl_console.sniff(path, head(path)) == 95
    assert set(log.points.names()) == set(expected)
    for key, rows in expected.items():
        assert series(log, key) == rows, key
    assert len(log.points.column("actor/entropy")[0]) == steps
    assert len(log.config) == settings
    assert log.framework == "verl"


def test_a_run_that_died_before_its_first_step_is_refused_with_the_reason():
    path = CORPUS / "public" / "verl-crash-before-step1" / "log.log"

    assert 0 < verl_console.sniff(path, head(path)) < 20
    with pytest.raises(ReadError, match="no metrics were logged") as caught:
        verl_console.READER.read(path)
    assert "95% full" in str(caught.value.hint)
