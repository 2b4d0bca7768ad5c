"""The list, a comparison and a sweep say of each run what its own page says: over all public logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from tests.outside import outside

from runvitals.comparison.sweep import FAILED
from runvitals.readers.discovery.discover import discover
from runvitals.server.work.judge_place import judge_place
from runvitals.view.compare.side_by_side import compare, member_from_list
from runvitals.view.compare.sweep import sweep_answer, swept
from runvitals.view.places import place_of
from runvitals.view.run.kept import KeptRun
from runvitals.view.schemas.judgement import FindingCard

CORPUS = outside("corpus")


@pytest.fixture(scope="module")
def runs() -> list[KeptRun]:
    """All runs as the dashboard keeps them, judged."""
    found = []
    for where in (CORPUS, CORPUS / "public", CORPUS / "public2", CORPUS / "public3"):
        for folder in sorted(where.iterdir()):
            if folder.is_dir() and not (folder / "index.json").exists():
                for place in discover(folder, []):
                    found += judge_place(place_of(place, CORPUS)).runs
    return [run for run in found if run.said is not None]


def everything(findings: list[FindingCard]) -> Iterator[FindingCard]:
    for one in findings:
        yield one
        yield from everything(one.follows)


def test_a_row_of_the_list_counts_and_says_what_its_page_says(runs: list[KeptRun]) -> None:
    wrong = []
    for run in runs:
        said = run.judgement
        counts = Counter(one.severity for one in said.findings if not one.about_log)
        shown = {one: getattr(run.row.alarms, one) for one in ("critical", "warning", "notice")}
        if run.row.verdict.word != said.verdict.word or shown != {k: counts[k] for k in shown}:
            wrong.append((run.row.path, shown, counts))

    assert len(runs) >= 450
    assert wrong == []


def test_the_level_of_an_outcome_is_the_verdicts_on_every_page(runs: list[KeptRun]) -> None:
    wrong = []
    for run in runs:
        outcome = run.row.outcome
        if outcome is None or outcome.levels is None or outcome.levels.now is None:
            continue
        figures = run.figures
        name = figures.called(outcome.metric or outcome.name)
        if name is None or figures.called(outcome.name) != name:
            continue  # another series of the same metric stands for it in the list
        member = member_from_list(run, [])
        if member.ends[name][0] != pytest.approx(outcome.levels.now, rel=1e-5):
            wrong.append((run.row.path, name, member.ends[name][0], outcome.levels.now))

    assert wrong == []


def test_a_comparison_has_all_findings_of_each_run_and_no_others(runs: list[KeptRun]) -> None:
    some = runs[:200]
    told = compare([member_from_list(r, []) for r in some], ["*"])

    for place, run in enumerate(some):
        mine = {one.code for one in told.findings if one.first_steps[place] is not None}
        assert mine == {one.code for one in everything(run.judgement.findings)}
        assert told.runs[place].verdict == run.row.verdict


def test_a_sweep_counts_failures_by_the_verdicts_of_the_list(runs: list[KeptRun]) -> None:
    told = sweep_answer("corpus", swept(runs), runs)

    words = {run.row.id: run.row.verdict.word for run in runs}
    alarms = {
        run.row.id: {
            one.code
            for one in everything(run.judgement.findings)
            if one.severity != "notice" and not one.about_log
        }
        for run in runs
    }
    for one in told.runs:
        assert one.failed == (words[one.id] in FAILED)
        assert set(one.rules) == alarms[one.id]
    for region in told.regions:
        assert region.failed == sum(words[id] in FAILED for id in region.runs)
        for typical in region.typical:
            assert typical.count == sum(typical.code in alarms[id] for id in region.runs)
    assert sorted(id for region in told.regions for id in region.runs) == sorted(words)
