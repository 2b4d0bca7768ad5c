import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals.model import ReadError
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import trainer_state

HISTORY = [
    {"epoch": 0.5, "loss": 2.0, "grad_norm": 1.5, "step": 10},
    {"epoch": 1.0, "loss": 1.0, "grad_norm": math.nan, "step": 20},
    {"epoch": 1.0, "eval_loss": 1.1, "eval_runtime": 3.0, "step": 20},
    {"epoch": 1.0, "step": 20, "train_loss": 1.5, "train_runtime": 60.0, "total_flos": 1e15},
]
STATE = {
    "best_metric": 1.1,
    "best_model_checkpoint": "out/checkpoint-20",
    "epoch": 1.0,
    "global_step": 20,
    "log_history": HISTORY,
    "logging_steps": 10,
    "max_steps": 20,
    "num_train_epochs": 1,
    "stateful_callbacks": {"TrainerControl": {"args": {"should_save": True}}},
    "train_batch_size": 8,
    "trial_name": None,
}


def write(folder, content, name="trainer_state.json"):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    return path


def points(log):
    """All values by name and step."""
    found = {}
    for name in log.points.names():
        steps, _, values = log.points.column(name)
        found[name] = list(zip(steps.tolist(), values.tolist(), strict=True))
    return found


def test_train_eval_and_summary_rows_keep_their_own_names(tmp_path):
    [log] = trainer_state.read(write(tmp_path, STATE))

    found = points(log)
    assert found["loss"] == [(10, 2.0), (20, 1.0)]
    assert found["eval_loss"] == [(20, 1.1)]
    assert found["train_loss"] == [(20, 1.5)]
    assert found["grad_norm"][0] == (10, 1.5)
    assert math.isnan(found["grad_norm"][1][1])
    assert found["epoch"][0] == (10, 0.5)
    assert log.status == "finished"
    assert log.framework == "transformers"


def test_the_other_fields_are_the_config_but_for_what_the_run_has_reached(tmp_path):
    [log] = trainer_state.read(write(tmp_path, STATE))

    assert log.config == {
        "best_metric": 1.1,
        "best_model_checkpoint": "out/checkpoint-20",
        "logging_steps": 10,
        "max_steps": 20,
        "num_train_epochs": 1,
        "train_batch_size": 8,
    }


@pytest.mark.parametrize("name", ["trainer_state.json", "training_logs.json", "x.json"])
def test_it_is_known_by_content_under_any_name(tmp_path, name):
    path = write(tmp_path, STATE, name)

    assert trainer_state.sniff(path, head(path)) >= 90


@pytest.mark.parametrize(
    "content",
    ['{"model_type": "llama", "hidden_size": 8}', '{"a": [1]}', "[1, 2]", "", '[{"x": 1}]', "text"],
)
def test_other_json_is_not_taken(tmp_path, content):
    path = write(tmp_path, content)

    assert trainer_state.sniff(path, head(path)) == 0


def test_a_history_saved_alone_is_read(tmp_path):
    path = write(tmp_path, HISTORY, "log_history.json")

    [log] = trainer_state.read(path)

    assert trainer_state.sniff(path, head(path)) > 0
    assert points(log)["loss"] == [(10, 2.0), (20, 1.0)]
    assert log.config == {}


@pytest.mark.parametrize("keep", [0.35, 0.5, 0.6])
def test_a_file_cut_mid_save_gives_its_complete_entries(tmp_path, keep):
    history = [{"epoch": i / 10, "loss": 1.0 / i, "step": i} for i in range(1, 101)]
    text = json.dumps(STATE | {"log_history": history}, indent=2)
    cut = int(len(text) * keep)

    [log] = trainer_state.read(write(tmp_path, text[:cut]))

    complete = text[:cut].count("}")
    assert points(log)["loss"] == [(e["step"], e["loss"]) for e in history[:complete]]
    assert log.config["best_metric"] == 1.1
    assert any(f"{complete} complete entries" in w for w in log.warnings)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "empty"),
        ('{"log_history": []}', "no metrics were logged"),
        ('{"log_history": [{"step": 1, "epoch": 0.1}]}', "no metrics were logged"),
        ('{"global_step": 3}', "no `log_history` list"),
        ('{"log_history": [{"lo', "no complete entry"),
        ("[" * 100_000, "not valid JSON"),
        ('{"log_history": ' + "[" * 100_000 + "NaN", "not valid JSON"),
        ("not json", "not valid JSON"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path, content, problem):
    with pytest.raises(ReadError, match=problem):
        trainer_state.read(write(tmp_path, content))


def test_a_resume_that_logs_steps_again_keeps_the_later_life(tmp_path):
    rows = [{"loss": float(s), "step": s} for s in [*range(1, 50), *range(30, 80)]]

    [log] = trainer_state.read(write(tmp_path, {"log_history": rows}))

    steps, _, _ = log.points.column("loss")
    assert steps.tolist() == list(range(1, 80))


def test_a_newer_save_adds_its_new_entries(tmp_path):
    path = write(tmp_path, {"log_history": [{"loss": 1.0, "step": s} for s in (1, 2)]})
    [log] = trainer_state.read(path)
    assert log.read_new() == []

    write(tmp_path, {"log_history": [{"loss": 1.0, "step": s} for s in (1, 2, 3, 4)]})
    log.add(log.read_new())
    assert [step for step, _ in points(log)["loss"]] == [1, 2, 3, 4]
    path.write_text('{"log_history": [')
    assert log.read_new() == []
    write(tmp_path, {"log_history": [{"loss": 2.0, "step": s} for s in (1, 2, 3, 5)]})
    log.add(log.read_new())
    assert [step for step, _ in points(log)["loss"]] == [1, 2, 3, 4, 5]


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.binary(max_size=100).map(lambda b: b'{"log_history": [{"step": 1, "loss": 2.0}, ' + b),
        st.integers(0, 600).map(lambda n: json.dumps(STATE).encode()[:n]),
    )
)
def test_no_bytes_crash_it(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("fuzz") / "trainer_state.json"
    path.write_bytes(content)

    assert 0 <= trainer_state.sniff(path, content) <= 100
    try:
        logs = trainer_state.read(path)
    except ReadError:
        return
    assert logs[0].points.count > 0


@pytest.mark.parametrize("at_once", [600, 10_000_000], ids=["in pieces", "at once"])
def test_a_long_history_is_read_in_pieces_as_if_at_once(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(trainer_state, "MAX_AT_ONCE", at_once)
    history = [{"loss": 1.0 / i, "step": i, "größe": i * 0.5} for i in range(1, 101)]
    state = {**STATE, "log_history": history, "stateful_callbacks": {}}
    path = write(tmp_path, json.dumps(state, ensure_ascii=False))

    [log] = trainer_state.read(path)

    assert log.warnings == []
    assert log.status == "finished"
    assert log.config["max_steps"] == 20
    steps, _, values = log.points.column("größe")
    assert steps.tolist() == list(range(1, 101))
    assert values.tolist() == [i * 0.5 for i in range(1, 101)]


def test_rows_behind_something_odd_in_a_long_history_are_not_lost_in_silence(tmp_path, monkeypatch):
    monkeypatch.setattr(trainer_state, "MAX_AT_ONCE", 600)
    rows = [{"loss": 1.0, "step": i} for i in range(100)]
    path = write(tmp_path, {**STATE, "log_history": [*rows, 7, *rows]})

    [log] = trainer_state.read(path)

    assert any("100 complete entries" in warning for warning in log.warnings)
