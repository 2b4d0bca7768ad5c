"""What holds for every rule, ours and those still to come."""

from __future__ import annotations

import inspect
import math
import re

import numpy as np
import pytest
from tests.rules.every_rule import (
    ALGORITHMS,
    METRICS,
    NUMBER_THAT_IS_NONE,
    ODD,
    ODD_SETTINGS,
    PANELS,
    N,
    alarms,
    all_hits,
    healthy,
    hits,
)

from runvitals import catalog
from runvitals.catalog.definitions.kinds import KINDS
from runvitals.model import Hit, Run
from runvitals.rules.histograms import NEED, QUANTITIES
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule, rules
from runvitals.testing import make_run

RULES = pytest.mark.parametrize("rule", rules().values(), ids=rules())
HEADINGS = [
    "What it looks for",
    "Why it matters",
    "Usual causes",
    "What to try",
    "When to ignore it",
    "Sources",
]
BESIDES = {
    "outcome",
    "siblings",
    "expectations",
    "supervised/loss",
}  # what a rule may need that is not a metric
BESIDES |= {f"{NEED}{quantity}" for quantity in QUANTITIES.values()}
ABOUT_NAN = {"NUM001"}
ONE_OF_MANY = re.compile(
    r"(?<![\w.,/-])1 (updates|steps|points|rows|settings|metrics|names|evaluations|spikes)\b"
)
FAMILIES = {*KINDS, *(family for wider in KINDS.values() for family in wider)}


def assert_sound(found: dict[str, list[Hit]], run: Run) -> None:
    for code, said in found.items():
        for hit in said:
            finite = code in ABOUT_NAN or not NUMBER_THAT_IS_NONE.search(hit.message)
            assert finite, f"{code} says {hit.message!r}"
            assert not ONE_OF_MANY.search(hit.message), f"{code} says {hit.message!r}"
            assert hit.series in run, f"{code} points at {hit.series!r}, which is not in the run"
            assert hit.span.first <= hit.span.last, f"{code} shows {hit.span}"
            assert hit.span.count >= 1, f"{code} shows {hit.span}"


# what a rule says about itself


@RULES
def test_its_docstring_is_a_page(rule: Rule) -> None:
    text = inspect.getdoc(rule.check) or ""

    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    assert all(part.strip() for part in re.split(r"^## .*$", text, flags=re.MULTILINE))


@RULES
def test_it_names_only_what_exists(rule: Rule) -> None:
    wanted = {one for need in rule.needs for one in need.names} - BESIDES
    known = {*catalog.METRICS, *(f"eval/{metric}" for metric in catalog.METRICS)}

    assert set(rule.explains) <= set(rules()) - {rule.code}
    assert set(rule.families) <= FAMILIES
    assert rule.preview or wanted <= known


@RULES
def test_its_options_have_a_type_and_a_usual_value(rule: Rule) -> None:
    for option in rule.options:
        parameter = inspect.signature(rule.check).parameters[option]

        assert parameter.annotation is not inspect.Parameter.empty
        usual = parameter.default
        assert usual is None or (isinstance(usual, bool | int | float) and math.isfinite(usual))


@RULES
def test_its_code_is_that_of_its_file(rule: Rule) -> None:
    file = rule.check.__module__.rpartition(".")[2]

    assert file.startswith(f"{rule.code.lower()}_")
    assert rule.area != "other"
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)


# odd runs


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_it_survives_odd_series(algorithm: str, values: object) -> None:
    run = make_run(dict.fromkeys(METRICS, values), algorithm=algorithm)

    assert_sound(all_hits(run), run)


@pytest.mark.parametrize("value", ODD_SETTINGS.values(), ids=ODD_SETTINGS)
def test_it_survives_odd_settings(value: object) -> None:
    for algorithm in ALGORITHMS:
        run = healthy(algorithm)
        run.config.update(dict.fromkeys(catalog.CONFIG_KEYS, value))
        run.settings.update(dict.fromkeys(catalog.CONFIG_KEYS, value))

        assert_sound(all_hits(run), run)


@RULES
def test_it_survives_a_run_that_logs_no_more_than_it_needs(rule: Rule) -> None:
    needed = [need.names[0] for need in rule.needs]
    metrics = ["reward/mean" if need == "outcome" else need for need in needed] or ["optim/loss"]
    for values in ODD.values():
        run = make_run(dict.fromkeys(metrics, values))

        assert_sound({rule.code: hits(rule, Patient(run))}, run)


# runs in which nothing is wrong


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("algorithm", PANELS)
def test_it_is_silent_on_a_healthy_panel(algorithm: str, seed: int) -> None:
    assert alarms(healthy(algorithm, seed)) == []


@pytest.mark.parametrize("points", [1, 2, 5])
@pytest.mark.parametrize("algorithm", PANELS)
def test_it_is_silent_while_there_is_little_to_see(algorithm: str, points: int) -> None:
    assert alarms(healthy(algorithm, points=points)) == []


@pytest.mark.parametrize("algorithm", PANELS)
def test_it_is_silent_on_curves_without_noise(algorithm: str) -> None:
    assert alarms(healthy(algorithm, noise=0.0)) == []


# what may not depend on chance or order


@pytest.mark.parametrize("algorithm", PANELS)
def test_it_says_the_same_twice_and_leaves_the_run_as_it_was(algorithm: str) -> None:
    series = dict.fromkeys(METRICS, ODD["one giant"]) | {"reward/mean": np.linspace(1, 0, N)}
    run = make_run(series, algorithm=algorithm, config={"gamma": 2.0, "learning_rate": 0})
    before = {name: [a.copy() for a in run.points.column(name)] for name in run.names()}
    config = dict(run.config)

    first, second = all_hits(run), all_hits(run)

    assert any(first.values())
    assert first == second
    assert run.config == config
    assert all(
        np.array_equal(old, new, equal_nan=True)
        for name, columns in before.items()
        for old, new in zip(columns, run.points.column(name), strict=True)
    )
