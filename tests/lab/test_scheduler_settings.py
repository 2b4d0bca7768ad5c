"""The scheduler's JSON file of settings, and what is said about a wrong one."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from runvitals.lab.scheduler_learner import SchedulerConfig
from runvitals.lab.scheduler_settings import (
    BLOCKS,
    ChosenSettings,
    Monitoring,
    as_content,
    chosen_from,
    read_settings,
)
from runvitals.model import ConfigError


def test_each_setting_has_one_block() -> None:
    inside = [name for names in BLOCKS.values() for name in names]

    assert sorted([*inside, "seed"]) == sorted(field.name for field in fields(SchedulerConfig))


def test_settings_are_read_from_blocks_and_from_outside_of_them(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    content = {
        "comment": "a trial",
        "seed": 3,
        "fault": "lr-zero",
        "clip_ratio": 0.1,
        "training": {"speeds": [1, 2], "chunks": 3},
        "reward_config": {"comment": "as in the guide", "beta": 0.3, "gamma": 0.4},
        "ppo_config": {"gamma": 0.95, "value_clip_range": None},
        "monitoring": {"metrics_export_enabled": False, "log_interval": 5},
    }
    file.write_text(json.dumps(content))

    chosen = read_settings(file)

    assert chosen.case == {"seed": 3, "fault": "lr-zero"}
    assert chosen.settings == {
        "clip_ratio": 0.1,
        "speeds": (1.0, 2.0),
        "chunks": 3,
        "reward_beta": 0.3,
        "reward_gamma": 0.4,
        "gamma": 0.95,
        "value_clip_range": None,
    }
    assert chosen.monitoring == {"metrics_export_enabled": False, "log_interval": 5}


def test_what_is_written_reads_back_the_same() -> None:
    chosen = ChosenSettings(
        {"seed": 1, "strength": "gross"},
        {"hidden": (8, 8), "reward_gamma": 2.0, "gamma": 0.5},
        {"log_file": ""},
    )

    again = chosen_from(json.loads(json.dumps(as_content(chosen))))

    assert (again.case, again.settings) == (chosen.case, chosen.settings)
    assert Monitoring(**again.monitoring) == Monitoring(log_file="")


@pytest.mark.parametrize(
    ("content", "says", "hint"),
    [
        ({"learning_rat": 1}, "has no setting 'learning_rat'", "did you mean 'learning_rate'?"),
        ({"monitorin": {}}, "has no setting 'monitorin'", "did you mean 'monitoring'?"),
        ({"monitoring": {"tensorbord": True}}, "has no setting 'tensorbord'", "'tensorboard'?"),
        (
            {"monitoring": {"xyz": True}},
            "monitoring has no setting 'xyz'",
            "it has histogram_inter",
        ),
        ({"monitoring": True}, "monitoring must be an object, got true", ""),
        ({"monitoring": {"log_interval": 0}}, "log_interval must be at least 1, got 0", "updates"),
        ({"monitoring": {"log_interval": "often"}}, 'a whole number, got "often"', ""),
        ({"monitoring": {"tensorboard": 1}}, "tensorboard must be true or false, got 1", ""),
        ({"monitoring": {"log_file": "../x.log"}}, "without folders", "output folder"),
        ({"reward_config": {"clip_ratio": 1}}, "no setting 'clip_ratio'", "belongs to ppo_config"),
        ({"learning_rate": "fast"}, 'learning_rate must be a number, got "fast"', ""),
        ({"speeds": 4}, "speeds must be a list of numbers, got 4", ""),
        ({"chunks": 2.5}, "chunks must be a whole number, got 2.5", ""),
        ({"value_clip_range": "no"}, "must be a number or null", ""),
        ({"epochs": 1, "ppo_config": {"epochs": 2}}, "epochs is set twice", "leave one"),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_mistakes_are_told_plainly(
    tmp_path: Path, content: dict[str, Any], says: str, hint: str
) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(content))

    with pytest.raises(ConfigError) as caught:
        read_settings(file)

    assert says in caught.value.what
    assert hint in (caught.value.hint or "")
    assert caught.value.where == str(file)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b'{"seed": 1,}', r"line 1, column 12|line 1, column 1\d"),
        (b"[1]", "must hold one JSON object"),
        (b"\xff\xfe\x00", "not a text in UTF-8"),
        (None, "No such file"),
    ],
    ids=["comma", "list", "bytes", "missing"],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, text: bytes | None, says: str) -> None:
    file = tmp_path / "settings.json"
    if text is not None:
        file.write_bytes(text)

    with pytest.raises(ConfigError, match=says):
        read_settings(file)
