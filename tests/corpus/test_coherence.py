"""Verdict, findings and report card of one run never contradict each other: over all public logs."""

from __future__ import annotations

import pytest
from tests.diagnosis.coherence import Coherence, Judged, judged_by_rules
from tests.outside import outside

import runvitals as rv

CORPUS = outside("corpus")


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    folders = [
        folder
        for where in (CORPUS, CORPUS / "public", CORPUS / "public2", CORPUS / "public3")
        for folder in sorted(where.iterdir())
        if folder.is_dir() and not (folder / "index.json").exists()
    ]
    return [
        judged_by_rules(f"{folder.name}/{run.name}", run)
        for folder in folders
        for run in rv.open_runs(folder, problems=[])
    ]


class TestPublicLogs(Coherence):
    def test_the_corpus_is_no_handful(self, judged: list[Judged]) -> None:
        assert len(judged) >= 450
        assert {one.word for one in judged} >= {"learning", "learned", "not learning", "collapsed"}
