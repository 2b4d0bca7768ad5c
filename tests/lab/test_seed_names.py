"""Every metric that the five documents name comes out of a trainer of the lab, or of the recorder."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.catalog.seed_names import NAMES

import runvitals as rv
from runvitals.lab.running import Case, run_case
from runvitals.recorder import system

CASES = (
    Case("ppo", "coin-grid", names="glossary", variant="short-run"),
    Case("rlhf-ppo", names="trl", variant="short-run"),
    Case("rlhf-ppo", names="trl-short", variant="short-run"),
    Case("rlhf-ppo", variant="short-run"),
    Case("grpo", "tool-use", variant="short-run"),
    Case("scheduler", variant="short-run"),
    Case("dpo", variant="short-run"),
    Case("dpo", names="glossary", variant="short-run"),
    Case("reward-model", variant="short-run"),
    Case("teacher", variant="short-run"),
)


@pytest.fixture
def sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What the recorder samples on a machine with a GPU; its readings are made up here."""
    reading = {"used": 1.0, "total": 2.0, "use": 50.0}
    monkeypatch.setattr(system, "open_gpus", lambda: [SimpleNamespace(read=lambda: reading)])
    return set(system.SystemSampler(tmp_path).sample())


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("lab")
    names: set[str] = set()
    for case in CASES:
        result = run_case(case, folder, console=False, tensorboard=False, system=False)
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
