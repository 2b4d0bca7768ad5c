"""Every item of the five documents is played."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.lab.rl_metrics_table import ROWS
from tests.lab.test_running import BRIEFLY, QUIET
from tests.lab.test_seed_names import CASES, _is_there
from tests.requirements.__main__ import PAGE, render
from tests.requirements.answers import answer_to, kept, questions
from tests.requirements.items import Document, documents
from tests.signs import documents as played
from tests.signs.playing import (
    STRENGTHS,
    TWISTS,
    _out_of_range,
    healthy_twins,
    play,
    run_of,
    tape_of,
)
from tests.signs.table import areas, score

import runvitals as rv
from runvitals.lab.running import run_case
from runvitals.recorder import chores
from runvitals.view.knowledge.look_up import framework_table, metrics_meant

ROOT = Path(__file__).parents[2]
SPOKEN, ALARMED = 0.97, 0.97  # of the logs that show a sign; of those in which harm is done
DOCUMENTS = documents()
LOGS = {  # the healthy logs that signs are played on
    "Training Metrics and Telemetry": (played.FIRST_STEPS,),
    "RL Metrics table": (played.RL_TABLE,),
    "Training Monitoring Guide": (played.MONITORING_GUIDE,),
    "Training Metrics Glossary": (played.GLOSSARY, played.PAIRS, played.REWARD_MODEL),
    "TensorBoard Metrics Reference": (played.TEACHER,),
}


def plays(how: str) -> list[tuple[Document, str]]:
    """Everything to be played in one way, once per document."""
    return list(
        dict.fromkeys(
            (document, play.what)
            for document in DOCUMENTS
            for item in document.items
            for play in item.plays
            if play.how == how
        )
    )


def names(pairs: list[tuple[Document, str]]) -> list[str]:
    return [f"{document.key}: {what}" for document, what in pairs]


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run python -m tests.requirements"


def test_an_item_stands_once_in_a_section_and_is_played() -> None:
    for document in DOCUMENTS:
        places = [(item.section, item.kind, item.text) for item in document.items]
        assert len(places) == len(set(places))
        assert all(item.plays for item in document.items)


# names with values


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Every name in the files of the lab's trainers, with its last value."""
    folder = tmp_path_factory.mktemp("lab")
    found: dict[str, float] = {}
    for case in CASES:
        if case.variant is None:
            case = replace(case, settings=BRIEFLY[case.trainer])
        run = rv.open_run(run_case(case, folder, **QUIET).folder)
        found |= {name: _last(run[name].values) for name in run.names()}
        found |= {event.name: 1.0 for event in [*run.histograms(), *run.texts()]}
        found |= dict.fromkeys(run.progress, 1.0)
    return found


def _last(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else math.nan


@pytest.fixture
def sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """What the recorder samples on a machine with a GPU, which is made up here."""
    reading = {"used": 1.0, "total": 2.0, "use": 50.0}
    monkeypatch.setattr(chores, "open_gpus", lambda: [SimpleNamespace(read=lambda: reading)])
    return chores.SystemSampler(tmp_path).sample()


def test_every_name_is_written_with_a_value(
    written: dict[str, float], sampled: dict[str, float]
) -> None:
    values = {name for name, value in {**written, **sampled}.items() if math.isfinite(value)}

    missing = [what for _, what in plays("value") if not _is_there(what, values)]

    assert missing == []


def test_the_teacher_logs_the_weights_of_its_reference(written: dict[str, float]) -> None:
    weights = ("Correctness", "CodeQuality", "Efficiency", "Documentation")

    assert [written[f"Scoring/{name}"] for name in weights] == [0.3, 0.3, 0.2, 0.2]


# answers


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: one.key)
def test_answers_are_those_that_a_person_compared_with_the_document(document: Document) -> None:
    asked = [question for question, _ in questions(document)]
    read = kept(document)

    assert sorted(read) == sorted(asked), "run python -m tests.requirements --keep, and read them"
    for question in asked:
        assert answer_to(question, document) == read[question], question


@pytest.mark.parametrize(("document", "what"), plays("frameworks"), ids=names(plays("frameworks")))
def test_tools_are_compared_as_in_the_table(document: Document, what: str) -> None:
    subject, _, wanted = what.partition(": ")

    found = {row["name"] for row in framework_table(metrics_meant(subject))}

    assert set(wanted.split(", ")) <= found


# signs and ranges


def test_every_sign_is_played_by_the_table_of_signs() -> None:
    known = {(sign.document.name, sign.name) for signs in areas().values() for sign in signs}

    lost = [
        (document.title, what)
        for document, what in plays("sign")
        if not any((log.name, what) in known for log in LOGS[document.title])
    ]

    assert lost == []


@pytest.mark.parametrize("area", areas())
def test_a_sign_is_spoken_of_in_six_logs_of_other_lengths_noises_and_onsets(area: str) -> None:
    six = [
        play(sign, sign.settings[i % len(sign.settings)], STRENGTHS[i % 2], 31 + i, twist)
        for sign in areas()[area]
        for i, twist in enumerate(TWISTS)
    ]

    total = score(six)

    assert total.played == 6 * len(areas()[area])
    assert total.share_spoken >= SPOKEN, [one.sign.name for one in six if not one.said]
    assert total.share_alarmed >= ALARMED


@pytest.mark.parametrize("document", played.DOCUMENTS, ids=lambda one: one.name)
def test_the_healthy_twins_of_these_logs_are_quiet(document: played.Document) -> None:
    twins = [one for twist in TWISTS for one in healthy_twins(document, 1, twist)]

    assert [one.alarms for one in twins if one.alarms] == []


@pytest.mark.parametrize(("document", "what"), plays("range"), ids=names(plays("range")))
def test_a_level_inside_a_range_and_one_outside_are_told_apart(
    document: Document, what: str
) -> None:
    name, inside, outside = what.split()

    assert name not in _out(document.title, name, float(inside))
    assert name in _out(document.title, name, float(outside))


def _out(title: str, name: str, level: float) -> set[str]:
    """What is out of range in the document's healthy log with one name at this level."""
    tape = tape_of(LOGS[title][0], "rising", 11)
    tape.series[name] = tape.around(level, 0.03)
    return _out_of_range(run_of(tape))


def test_whole_runs_in_range_have_a_row_in_their_table() -> None:
    assert {what for _, what in plays("lab")} <= {row.metric for row in ROWS}


# tests of their own


@cache
def _tests_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return frozenset(name for name in found if name.startswith("test_"))


def test_every_test_that_plays_an_item_exists() -> None:
    lost = []
    for _, what in plays("test"):
        path, _, name = what.partition("::")
        there = (ROOT / path).is_file() and _tests_in(ROOT / path)
        if not there or (name and name not in there):
            lost.append(what)

    assert lost == []


def test_the_names_of_the_documents_are_looked_for_as_they_are_written() -> None:
    assert _is_there("action_replica_n", {"action_replica_3"})
    assert not _is_there("val-core/*/acc/mean@1", {"val-core/acc/mean@1"})
    assert re.fullmatch(r"\d{3}_\w+", DOCUMENTS[0].key)
