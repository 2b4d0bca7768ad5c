"""The judge beside a real recorder, from `rv.init` to what it leaves behind."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.diagnosis.live.conftest import wait_until

import runvitals as rv
from runvitals.diagnosis.live import judge
from runvitals.diagnosis.live.journal import read_changes, still_open
from runvitals.diagnosis.live.view import MAX_SERIES
from runvitals.model import ConfigError, Hit, Span
from runvitals.rules import registry
from runvitals.rules.patient import Patient

pytestmark = pytest.mark.usefixtures("_eager")
Start = Callable[..., rv.LiveRun]


def log_until(run: rv.LiveRun, true: Callable[[], Any], value: float = math.nan) -> None:
    """Log a loss that is NaN, or something else, until something happens."""

    def once() -> Any:
        if run.step < 20:
            for _ in range(20):
                run.log({"policy/loss": 0.5, "value/loss": 0.1, "outcome/return_mean": 1.0})
        run.log({"policy/loss": value, "value/loss": value, "outcome/return_mean": 1.0})
        run.flush()
        return true()

    wait_until(once)


def codes(run: rv.LiveRun, event: str = "opened") -> list[str]:
    return [c.finding.code for c in read_changes(run.folder) if c.event == event]


@pytest.fixture
def own_rule() -> Iterator[Callable[[Any], None]]:
    """Makes a function a rule for the length of a test."""

    def add(check: Any) -> None:
        registry.rules()
        registry.rule("ZZ001", "made-up", severity="warning")(check)

    yield add
    registry._RULES.pop("ZZ001", None)


def test_a_critical_finding_is_told_while_the_run_goes_on(start: Start) -> None:
    heard: list[rv.FindingChange] = []
    run = start(algorithm="PPO", stop_on="critical")
    run.on_finding(heard.append)

    log_until(run, lambda: run.should_stop)

    assert run.status == "running"
    assert "NUM001" in codes(run)
    wait_until(lambda: heard)
    assert (heard[0].event, heard[0].finding.code) == ("opened", "NUM001")
    assert run.stop_reason is not None
    assert run.stop_reason.startswith("NUM001 critical: policy/loss is NaN from step 20")
    run.log({"policy/loss": 1.0})  # nothing raises
    assert run.problems == []


def test_a_finding_closes_when_the_run_recovers(start: Start) -> None:
    run = start(algorithm="PPO")
    heard: list[rv.FindingChange] = []
    run.on_finding(heard.append)
    log_until(run, lambda: "NUM001" in codes(run))

    log_until(run, lambda: "NUM001" in codes(run, "closed"), value=0.3)

    wait_until(
        lambda: [c.event for c in heard if c.finding.code == "NUM001"] == ["opened", "closed"]
    )


def test_the_verdict_is_told_at_the_end_and_a_callback_that_fails_is_said(start: Start) -> None:
    run = start(algorithm="PPO")
    heard: list[Any] = []
    run.on_verdict(heard.append)
    run.on_verdict(lambda said: 1 / 0)
    for step in range(100):
        run.log({"outcome/return_mean": float(step) + step % 3}, step=step)

    run.finish()

    assert heard[-1].word == rv.judge(run.folder).verdict.word
    assert any("an on_verdict callback failed" in problem for problem in run.problems)


def test_log_raises_once_if_asked_to_and_the_row_is_kept(start: Start) -> None:
    run = start(algorithm="PPO", stop_on="critical", stop_raises=True)

    with pytest.raises(rv.StopTraining, match="stopped by NUM001 critical"), run:
        log_until(run, lambda: False)

    assert run.status == "stopped"
    assert rv.open_run(run.folder)["policy/loss"].steps[-1] == run.step


def test_a_warning_does_not_stop_a_run_that_stops_on_critical(start: Start) -> None:
    run = start(stop_on="critical")
    run.expect("x", below=0.0)
    for _ in range(10):
        run.log({"x": 1.0})

    run.finish()

    assert "EXP001" in codes(run)
    assert not run.should_stop


@pytest.mark.parametrize("options", [{"stop_on": "notice"}, {"stop_raises": True}])
def test_stopping_that_makes_no_sense_is_refused(start: Start, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        start(**options)


def test_notify_and_stop_on_need_the_judge(start: Start) -> None:
    with pytest.raises(ConfigError, match="need the judge"):
        start(judge=False, stop_on="critical")


def judges() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "runvitals-judge"]


@pytest.mark.parametrize("way", ["option", "environment"])
def test_the_judge_can_be_turned_off(start: Start, monkeypatch: Any, way: str) -> None:
    if way == "environment":
        monkeypatch.setenv("RUNVITALS_JUDGE", "0")
    run = start(judge=way == "environment")
    run.expect("x", below=0.0)
    for _ in range(10):
        run.log({"x": 1.0})
    run.flush()

    assert judges() == []
    run.finish()
    assert not (run.folder / "findings.jsonl").exists()


def test_other_ranks_do_not_judge(start: Start) -> None:
    run = start(rank=1, id="job")
    run.log({"x": 1.0})
    run.flush()

    assert judges() == []


def test_a_callback_that_raises_is_said_once_and_the_others_are_called(start: Start) -> None:
    heard: list[str] = []

    def broken(change: rv.FindingChange) -> None:
        raise ZeroDivisionError("by design")

    run = start()
    for callback in (broken, broken, lambda change: heard.append(change.finding.code)):
        run.on_finding(callback)
    run.expect("x", below=0.0)
    for _ in range(10):
        run.log({"x": 1.0})

    with pytest.warns(rv.RunvitalsWarning):
        run.finish()

    assert heard == ["EXP001"]
    assert run.problems == ["an on_finding callback failed: ZeroDivisionError: by design"]


def test_a_callback_may_finish_the_run(start: Start) -> None:
    run = start(algorithm="PPO")
    run.on_finding(lambda change: run.finish("stopped"))

    with pytest.warns(rv.RunvitalsWarning, match="is finished"):
        log_until(run, lambda: rv.open_run(run.folder).status == "stopped")

    assert "NUM001" in codes(run)


def test_a_rule_that_raises_is_said_once_and_the_others_go_on(start: Start, own_rule: Any) -> None:
    def broken(patient: Patient) -> Iterator[Hit]:
        """Broken."""
        raise ZeroDivisionError("by design")

    own_rule(broken)
    run = start(algorithm="PPO")

    with pytest.warns(rv.RunvitalsWarning):
        log_until(run, lambda: "NUM001" in codes(run))
        run.finish()

    assert run.problems == ["live judge: ZZ001 failed: ZeroDivisionError: by design"]


def test_a_rule_that_hangs_is_given_up_and_the_others_go_on(
    start: Start, own_rule: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(judge, "RULE_SECONDS", 0.3)
    done = threading.Event()

    def hanging(patient: Patient) -> Iterator[Hit]:
        """Hangs."""
        done.wait(60)
        yield Hit("x", Span(0, 0, 1), "nobody waits for this")

    own_rule(hanging)
    run = start(algorithm="PPO")

    with pytest.warns(rv.RunvitalsWarning):
        log_until(run, lambda: "NUM001" in codes(run))
    done.set()
    run.finish()

    assert run.problems == ["ZZ001 takes too long and is not asked again"]
    assert "ZZ001" not in codes(run)


def test_the_end_does_not_wait_for_a_rule_that_hangs(
    start: Start, own_rule: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(judge, "CLOSE_SECONDS", 0.3)
    done = threading.Event()

    def hanging(patient: Patient) -> Iterator[Hit]:
        """Hangs."""
        done.wait(60)
        yield from ()

    own_rule(hanging)
    run = start()
    run.log({"x": 1.0})

    with pytest.warns(rv.RunvitalsWarning):
        run.finish()
    done.set()

    assert run.status == "finished"
    assert run.problems == ["the last look of the live judge waits for ZZ001"]


def test_broken_settings_are_said_once_and_the_run_is_recorded(
    start: Start, tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runvitals.toml").write_text("select = [")
    run = start()
    run.log({"x": 1.0})

    with pytest.warns(rv.RunvitalsWarning):
        run.finish()

    assert "not valid TOML" in run.problems[0]
    assert len(run.problems) == 1
    assert "DATA001" in codes(run)


def test_a_journal_that_cannot_be_written_is_said_once_and_callbacks_are_called(
    start: Start,
) -> None:
    run = start()
    (run.folder / "findings.jsonl").mkdir()
    heard: list[rv.FindingChange] = []
    run.on_finding(heard.append)
    run.expect("x", below=0.0)
    for _ in range(10):
        run.log({"x": 1.0})

    with pytest.warns(rv.RunvitalsWarning):
        run.finish()

    assert run.problems == ["findings.jsonl could not be written: Is a directory"]
    assert [change.finding.code for change in heard] == ["EXP001"]


def test_settings_hold_for_the_live_judge_too(
    start: Start, tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runvitals.toml").write_text('ignore = ["EXP"]')
    run = start()
    run.expect("x", below=0.0)
    for _ in range(10):
        run.log({"x": 1.0})

    run.finish()

    assert "EXP001" not in codes(run)


def test_too_many_names_are_said_once(start: Start) -> None:
    run = start()
    run.log({f"m{i}": 1.0 for i in range(MAX_SERIES + 5)})

    with pytest.warns(rv.RunvitalsWarning):
        run.finish()

    assert run.problems == ["more than 1,000 names: the live judge looks at the first ones only"]


def test_a_resumed_run_is_judged_whole_and_nothing_is_opened_again(start: Start) -> None:
    run = start(id="again")
    run.expect("x", below=0.0)
    for _ in range(10):
        run.log({"x": 1.0})
    run.finish()

    again = start(id="again", resume=True)
    heard: list[rv.FindingChange] = []
    again.on_finding(heard.append)
    again.log({"x": -1.0})
    again.finish()

    assert codes(again).count("EXP001") == 1
    assert [c.finding.code for c in heard] == []
    [finding] = [
        c.finding for c in still_open(read_changes(run.folder)) if c.finding.code == "EXP001"
    ]
    assert finding.span.first == 0


def test_findings_are_shown_on_the_console_and_in_its_log(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    run = start(console=True)
    run.expect("x", below=0.0, reason="a loss")
    for _ in range(10):
        run.log({"x": 1.0})

    run.finish()

    line = "EXP001 warning at step 9: expected x below 0, but it was 1 at step 0 (a loss)"
    assert line in capsys.readouterr().err
    assert line in (run.folder / "training.log").read_text()


@pytest.mark.parametrize("way", ["option", "environment", "settings"])
def test_findings_are_sent(
    start: Start, inbox: Any, way: str, tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    if way == "environment":
        monkeypatch.setenv("RUNVITALS_NOTIFY", inbox.url)
    if way == "settings":
        (tmp_path / "runvitals.toml").write_text(f'notify = ["{inbox.url}"]')
    run = start(name="a run", notify=[inbox.url] if way == "option" else ())
    run.expect("x", below=0.0)
    for _ in range(10):
        run.log({"x": 1.0})

    run.finish()

    assert run.problems == []
    [message] = inbox.messages
    assert message["title"] == "runvitals: a run"
    assert message["message"].startswith("EXP001 warning at step 9: expected x below 0")


EAGER = """
from runvitals.diagnosis.live import pace
pace.FIRST_SECONDS = pace.MIN_SECONDS = 0.1
pace.SHARE = 1.0
"""
SICK = (
    EAGER
    + """
import math, os, signal, sys, time
import runvitals as rv

def log_nan(run):
    value = 0.5 if run.step < 20 else math.nan
    run.log({"policy/loss": value, "value/loss": value})
    time.sleep(0.002)
"""
)


def test_findings_survive_kill_9(script: Any, tmp_path: Any) -> None:
    done = script(
        SICK
        + """
run = rv.init("p", dir=".", id="r", console=False, tensorboard=False, stop_on="critical")
while not run.should_stop:
    log_nan(run)
os.kill(os.getpid(), signal.SIGKILL)
"""
    )

    assert done.returncode == -9, done.stderr
    assert "NUM001" in [c.finding.code for c in read_changes(tmp_path / "p" / "r")]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_children_log_but_do_not_judge(script: Any, tmp_path: Any) -> None:
    done = script(
        SICK
        + """
run = rv.init("p", dir=".", id="r", console=False, tensorboard=False, stop_on="critical")
children = []
while not run.should_stop:
    log_nan(run)
    if len(children) < 30:
        child = os.fork()
        if not child:
            run.log({"from_child": 1.0})
            run.finish()
            os._exit(0)
        children.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 30)
run.finish()
print(run.problems)
"""
    )

    assert done.stdout == "True\n[]\n", done.stderr
    opened = [c.finding.code for c in read_changes(tmp_path / "p" / "r") if c.event == "opened"]
    assert opened.count("NUM001") == 1


def test_a_script_that_never_calls_finish_is_judged_too(script: Any, tmp_path: Any) -> None:
    done = script(
        """
import runvitals as rv

run = rv.init("p", dir=".", id="r", console=False, tensorboard=False)
run.expect("x", below=0.0)
for _ in range(10):
    run.log({"x": 1.0})
"""
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "EXP001" in [c.finding.code for c in read_changes(tmp_path / "p" / "r")]


def test_the_training_loop_imports_no_rules(script: Any) -> None:
    done = script(
        """
import sys
import runvitals as rv

run = rv.init("p", dir=".", console=False, tensorboard=False)
print(any(name.startswith("runvitals.rules") for name in sys.modules))
run.finish()
"""
    )

    assert done.stdout == "False\n", done.stderr


def test_time_is_left_for_the_training_loop() -> None:
    from runvitals.diagnosis.live.pace import Pace

    calm, busy = Pace(), Pace()
    calm.looked(0.0)
    busy.looked(1000.0)

    assert calm.seconds_left() < busy.seconds_left()
    busy.hurry()
    assert busy.seconds_left() <= 1.0
