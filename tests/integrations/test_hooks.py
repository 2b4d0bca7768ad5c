"""Hooks: what is recorded once, what is left out, and what an adapter has taken over."""

import math
import types

import pytest

import runvitals as rv
from runvitals.integrations import hooks, session
from runvitals.integrations.hooks import _hook
from runvitals.integrations.hooks._hook import record, watch


@pytest.fixture
def run(tmp_path):
    quiet = {"console": False, "tensorboard": False, "judge": False, "system": False}
    with rv.init("p", dir=tmp_path, **quiet) as live:
        _hook._last.clear()
        yield live


def logger(source, inner=None, rename=str):
    """A library with one function, which may pass values on to another library."""

    class Library:
        def log(self, values, step=None):
            if inner is not None:
                inner.log({rename(name): value for name, value in values.items()}, step)
            return "its own answer"

    watch(
        Library,
        "log",
        source,
        before=lambda call: record(call, call.args[0], call.argument(1, "step")),
    )
    return Library()


def recorded(run):
    run.flush()
    found = rv.open_run(run.folder)
    return {name: found[name].values.tolist() for name in found.names()}


def test_the_call_itself_is_unchanged_and_its_numbers_are_recorded(run):
    answer = logger("one").log({"loss": 0.5, "note": "text", "deep": {"kl": 0.1}}, 3)

    assert answer == "its own answer"
    assert recorded(run) == {"loss": [0.5], "deep/kl": [0.1]}


def test_a_value_that_is_passed_on_under_another_name_is_recorded_once(run):
    writer = logger("writer")
    trainer = logger("trainer", inner=writer, rename=lambda name: f"train/{name}")

    for step in range(3):
        trainer.log({"loss": 1.0 / (step + 1), "bad": math.nan}, step)

    assert list(recorded(run)) == ["loss", "bad"]
    assert len(recorded(run)["loss"]) == 3


def test_what_an_inner_library_adds_is_recorded(run):
    writer = logger("writer")

    class Callback:
        def log(self, values, step):
            writer.log({**values, "mine": 7.0}, step)

    logger("trainer", inner=Callback()).log({"loss": 0.5}, 1)

    assert recorded(run) == {"loss": [0.5], "mine": [7.0]}


def test_two_libraries_that_are_given_the_same_value_are_one_series(run):
    one, other = logger("one"), logger("other")
    for step in range(4):
        one.log({"loss": 1.0}, step)
        other.log({"loss": 1.0}, step)

    assert recorded(run) == {"loss": [1.0] * 4}


def test_one_library_that_logs_the_same_value_again_is_recorded_again(run):
    one = logger("one")
    one.log({"loss": 1.0}, 0)
    one.log({"loss": 1.0}, 1)
    one.log({"loss": 1.0}, 1)

    assert recorded(run) == {"loss": [1.0] * 3}


def test_a_library_that_an_adapter_records_is_left_to_it(run, monkeypatch):
    monkeypatch.setattr(session, "REPLACED_HOOKS", {"trainer"})
    trainer = logger("trainer", inner=logger("writer"))
    trainer.log({"loss": 0.5}, 1)

    assert recorded(run) == {}


def test_an_error_of_the_library_reaches_its_caller(run):
    module = types.SimpleNamespace(log=lambda values: 1 / 0)
    watch(module, "log", "one", before=lambda call: record(call, call.args[0]))

    with pytest.raises(ZeroDivisionError):
        module.log({"loss": 1.0})
    assert recorded(run) == {"loss": [1.0]}


def test_every_hook_says_what_it_records_and_has_a_name_of_its_own():
    found = hooks.hooks()

    assert len({hook.name for hook in found}) == len(found) >= 12
    assert all(hook.title and hook.records and hook.modules for hook in found)
