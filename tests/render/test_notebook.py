"""Runs and verdicts in notebooks: static HTML that is well-formed, harmless and never raises."""

from __future__ import annotations

import math
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

import runvitals as rv
from runvitals import display
from runvitals.model.row import RowBlock
from runvitals.render import show as notebook
from runvitals.render.notebook import curve
from runvitals.testing import make_run

HOSTILE = '</script><script>hit()</script><img src=x onerror="hit()">\x1b[31m \u2028'
VOID = {"img", "br", "hr", "meta", "rect", "polyline", "circle"}


class Tags(HTMLParser):
    """All tags and attributes; fails if tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.names: set[str] = set()
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.names.update(name for name, _ in attrs)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def sick_run(**options):
    rng = np.random.default_rng(0)
    outcome = np.where(np.arange(200) < 120, np.arange(200.0), 0.0) + rng.normal(size=200)
    return make_run({"outcome/return_mean": outcome, "policy/entropy": [1.0] * 200}, **options)


def test_a_run_shows_verdict_curves_and_advice():
    shown = Tags(sick_run(algorithm="PPO")._repr_html_())

    assert "collapsed" in shown.text
    assert "outcome/return_mean" in shown.text
    assert "REW003" in shown.text
    assert "Try:" in shown.text
    assert "not checked: " in shown.text
    assert shown.seen.count("svg") == 2
    assert not {"script", "style", "link"} & set(shown.seen)


def test_a_diagnosis_and_its_verdict_show_themselves():
    diagnosis = rv.judge(sick_run(algorithm="PPO"))

    assert "REW003" in Tags(diagnosis._repr_html_()).text
    assert "collapsed" in Tags(diagnosis.verdict._repr_html_()).text


def test_what_comes_from_logs_is_only_text(start):
    run = start(name=HOSTILE, config={HOSTILE: HOSTILE}, algorithm=HOSTILE)
    for step in range(40):
        run.log({HOSTILE: math.nan, "outcome/return_mean": math.inf, "loss": step}, step=step)
    run.finish()

    opened = rv.open_run(run.folder)
    shown = [Tags(thing._repr_html_()) for thing in (opened, rv.judge(opened))]

    assert not {"script", "img"} & {tag for one in shown for tag in one.seen}
    assert not {name for one in shown for name in one.names if name.startswith("on")}
    assert "\x1b" not in shown[0].text


def test_a_run_that_is_being_recorded_shows_what_was_just_logged(start):
    run = start(name="live one")
    run.log({"outcome/return_mean": 42.5}, step=7)

    shown = Tags(run._repr_html_())

    assert "live one" in shown.text
    assert "running" in shown.text
    assert "42.5" in shown.text


def test_a_run_without_points_says_so():
    assert "no metrics were logged" in Tags(make_run({})._repr_html_()).text


def test_what_cannot_be_drawn_is_text():
    run = make_run({"loss": [1.0] * 20})
    run.points = None

    shown = Tags(run._repr_html_())

    assert "cannot be drawn: AttributeError" in shown.text


def test_without_somebody_who_draws_the_text_is_shown(monkeypatch):
    monkeypatch.setattr(display, "_drawers", [])

    assert make_run({})._repr_html_() is None


def test_the_package_draws_without_being_asked_to_and_loads_nothing_for_it(script):
    done = script(
        """
        import sys
        import runvitals as rv
        print(rv.open_run.__name__, "runvitals.render.notebook" in sys.modules)
        from runvitals.testing import make_run
        print("nothing to judge" in make_run({})._repr_html_().lower())
        """
    )

    assert done.stdout.split() == ["open_run", "False", "True"], done.stderr


@pytest.mark.parametrize("count", [1, 2, 239, 100_000])
def test_no_spike_is_lost_in_a_curve(count):
    values = np.zeros(count)
    values[count // 3] = 1.0
    run = make_run({"loss": values})

    drawn = curve(run["loss"], [(0, 10, "#f00")])

    assert len(drawn) < 6_000
    assert count == 1 or ",3.0" in drawn  # the very top


def test_curves_bear_any_number():
    for values in ([math.nan] * 5, [1e308, -1e308, 0.0], [5.0] * 10, [math.inf, 1.0, 2.0]):
        drawn = curve(make_run({"loss": values})["loss"])
        assert "nan" not in drawn
        assert "inf" not in drawn


def test_points_that_come_later_are_drawn():
    run = make_run({"loss": [1.0] * 20})
    before = run._repr_html_()

    run.points.add(RowBlock(("loss",), np.array([21]), np.array([1.7e9 + 21]), np.array([[9.25]])))

    assert "9.25" not in before
    assert "9.25" in run._repr_html_()


def test_show_of_a_finished_run_does_not_call_it_live(monkeypatch):
    monkeypatch.setattr(notebook, "_display", lambda text: SimpleNamespace(update=print))

    shown = rv.show(make_run({"loss": [1.0] * 20}, status="finished"))

    assert repr(shown) == "<LiveDisplay of made-up: finished>"
    shown.stop()
