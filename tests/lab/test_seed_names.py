"""Every metric that the five documents name comes out of a trainer of the lab, or of the recorder."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.catalog.seed_names import NAMES
from tests.lab.test_running import BRIEFLY, QUIET

import runvitals as rv
from runvitals.lab.running import Case, run_case
from runvitals.recorder import chores

CASES = (
    Case("ppo", "coin-grid", names="glossary"),
    Case("rlhf-ppo", names="trl"),
    Case("rlhf-ppo", names="trl-short"),
    Case("rlhf-ppo"),
    Case("grpo", "tool-use"),
    Case("scheduler"),
    Case("dpo"),
    Case("dpo", names="glossary"),
    Case("reward-model"),
    Case("teacher", variant="short-run"),  # long enough for the teacher to write something
)


@pytest.fixture
def sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What the recorder samples on a machine with a GPU; its readings are made up here."""
    reading = {"used": 1.0, "total": 2.0, "use": 50.0}
    monkeypatch.setattr(chores, "open_gpus", lambda: [SimpleNamespace(read=lambda: reading)])
    return set(chores.SystemSampler(tmp_path).sample())


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("lab")
    names: set[str] = set()
    for case in CASES:
        if case.variant is None:
            case = replace(case, settings=BRIEFLY[case.trainer])
        result = run_case(case, folder, **QUIET)
        names |= _names_in(result.folder)
    return names


def _names_in(folder: Path) -> set[str]:
    run = rv.open_run(folder)
    events = [*run.histograms(), *run.texts()]
    return {*run.names(), *(event.name for event in events), *run.progress}


def test_every_name_of_the_documents_is_emitted(emitted: set[str], sampled: set[str]) -> None:
    found = emitted | sampled

    missing = [(document, name) for document, _, name in NAMES if not _is_there(name, found)]

    assert not missing


def _is_there(name: str, emitted: set[str]) -> bool:
    pattern = re.escape(name).replace(r"\*", ".+")
    pattern = re.sub(r"_n$", r"_\\d+", pattern)  # action_replica_n: n is the replica's number
    pattern = pattern.replace("gsm8k", "[^/]+")  # the data set is an example
    return any(re.fullmatch(pattern, found) for found in emitted)
