from __future__ import annotations

import math

import numpy as np
import orjson
import pytest

import runvitals as rv
from runvitals.model import ConfigError, Expectation


def test_expectations_are_kept_with_the_run(start):
    run = start()
    run.expect("acc", between=(0.5, 1.0), by_step=np.int64(100), severity="critical")
    run.expect(rule="ent001", reason="annealed")
    run.log({"acc": 0.7})
    run.finish()

    assert rv.open_run(run.folder).expectations == (
        Expectation("acc", above=0.5, below=1.0, by_step=100, severity="critical"),
        Expectation(rule="ENT001", reason="annealed"),
    )


def test_they_are_written_while_the_run_goes_on(start):
    run = start()
    run.expect("acc", above=0.5)
    run.log({"acc": 0.7})
    run.flush()

    assert rv.open_run(run.folder).expectations == (Expectation("acc", above=0.5),)


def test_a_resumed_run_has_those_of_before_once(start):
    for above in (0.5, 0.5, 0.6):
        run = start(id="again", resume=True)
        run.expect("acc", above=above)
        run.log({"acc": 0.7})
        run.finish()

    view = rv.open_run(run.folder)

    assert [one.above for one in view.expectations] == [0.5, 0.6]


def test_what_cannot_be_read_again_is_passed_over(start):
    run = start()
    run.expect("acc", above=0.5)
    run.log({"acc": 0.7})
    run.finish()
    path = run.folder / "run.json"
    content = orjson.loads(path.read_bytes())
    content["expectations"] += [{"metric": "acc"}, "nonsense", {"rule": "KL001"}]
    content["expectations"][0]["of_a_later_version"] = 1
    path.write_bytes(orjson.dumps(content))

    assert rv.open_run(run.folder).expectations == (Expectation("acc", above=0.5),)


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"metric": "acc"},
        {"above": 1.0},
        {"metric": "acc", "above": 2.0, "below": 1.0},
        {"metric": "acc", "above": math.nan},
        {"metric": "acc", "above": "high"},
        {"metric": "acc", "above": 1.0, "severity": "bad"},
        {"rule": "KL001"},
        {"rule": "KL001", "reason": "fine", "above": 1.0},
    ],
    ids=repr,
)
def test_what_makes_no_sense_is_refused(start, what):
    run = start()

    with pytest.raises(ConfigError):
        run.expect(**what)

    run.finish()
    assert rv.open_run(run.folder).expectations == ()
