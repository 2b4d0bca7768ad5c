"""What a model writes is judged while it trains."""

from __future__ import annotations

import pytest
from tests.rollouts import writing

import runvitals as rv
from runvitals.readers.open import open_run
from runvitals.rollouts import series
from runvitals.rollouts.digest import Digester
from runvitals.rollouts.record import rollout_of

pytestmark = pytest.mark.usefixtures("_eager")


def test_garbage_that_pays_is_told_while_the_run_goes_on(tmp_path, until):
    run = rv.init(folder=tmp_path / "run", system=False, console=False, tensorboard=False)
    told = []
    run.on_finding(lambda change: told.append(change.finding))
    write = writing.turning(writing.garbage)
    for sample in writing.samples(write):
        run.log({"reward": sample.step / 40}, step=sample.step)
        run.log_samples(sample.fields, step=sample.step)

    until(lambda: any(one.code == "TEXT001" for one in told))

    assert "!!!!" in next(one for one in told if one.code == "TEXT001").quotes[0].text
    run.finish()


def test_after_a_resume_texts_are_compared_with_those_of_the_earlier_process(tmp_path, until):
    quiet = {"folder": tmp_path / "run", "system": False, "console": False, "tensorboard": False}
    told = []
    for life, resume in (((1, 21), None), ((22, 40), "must")):
        run = rv.init(**quiet, **({"resume": resume} if resume else {}))
        run.on_finding(lambda change: told.append(change.finding.code))
        for sample in writing.samples(writing.turning(writing.garbage, at=22)):
            if life[0] <= sample.step <= life[1]:
                run.log({"reward": sample.step / 40}, step=sample.step)
                run.log_samples(sample.fields, step=sample.step)
        if resume == "must":
            until(lambda: "TEXT001" in told)
        run.finish()


def test_a_stretch_that_has_not_changed_is_not_measured_again(monkeypatch):
    digester = digester_of(writing.samples(writing.turning(writing.garbage)))
    known: series.Known = {}
    before = series.shares_of(digester.digest(), known)
    monkeypatch.setattr(series, "_shares", lambda _: pytest.fail("measured again"))

    assert series.shares_of(digester.digest(), known) == before


def digester_of(samples):
    digester = Digester()
    for sample in samples:
        digester.add(rollout_of(sample))
    return digester


def test_reading_all_samples_of_a_run_that_goes_on_rests_in_between(tmp_path, monkeypatch):
    run = rv.init(folder=tmp_path / "run", system=False, console=False, tensorboard=False)
    for sample in writing.samples(writing.turning(writing.garbage)):
        run.log({"reward": sample.step / 40}, step=sample.step)
        run.log_samples(sample.fields, step=sample.step)
    run.flush()
    reader = open_run(run.folder)
    first = series.with_text(reader).digest
    monkeypatch.setattr(series, "digest_of", lambda _: pytest.fail("read again"))
    reader.last_digest.until = float("inf")

    assert first is not None
    assert series.with_text(reader).digest is first
    run.finish()
