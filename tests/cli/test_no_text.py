"""`--no-text`: nothing that a model wrote leaves the machine with a report."""

from __future__ import annotations

import json

import pytest
from tests.rollouts import writing
from tests.rollouts.writing import samples, turning

from runvitals.diagnosis.judge import judge, settings_for
from runvitals.readers.settings_file import SettingsFile, with_options
from runvitals.testing import make_run

SECRET = "!!!!!!!!"


@pytest.fixture
def rollouts(tmp_path):
    rows = samples(turning(writing.garbage))
    for one in rows:
        file = tmp_path / "rollouts" / f"{one.step}.jsonl"
        file.parent.mkdir(exist_ok=True)
        with file.open("a") as out:
            out.write(json.dumps({**one.fields, "step": one.step}) + "\n")
    return tmp_path


@pytest.mark.parametrize("format", ["text", "json", "markdown"])
def test_check_quotes_nothing_when_asked(runvitals, rollouts, format):
    usual = runvitals("check", str(rollouts), "--format", format)
    silent = runvitals("check", str(rollouts), "--format", format, "--no-text")

    assert SECRET in usual.stdout or format == "markdown"  # which quotes nothing anyway
    assert "TEXT001" in silent.stdout
    assert SECRET not in silent.stdout


def test_the_settings_can_say_so_for_every_command():
    texts = samples(turning(writing.garbage))
    run = make_run({"reward/mean": [0.5] * 40}, algorithm="GRPO", samples=texts)
    file = with_options(SettingsFile(None, ""), texts=False)

    said = judge(run, settings_for(file), since_when=False)

    assert [one.quotes for one in said.findings if one.code == "TEXT001"] == [()]
