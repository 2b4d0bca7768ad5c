"""The guides to the scheduler name its settings, as they are."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from runvitals.lab.scheduler_faults import FAULTS
from runvitals.lab.scheduler_learner import SchedulerConfig
from runvitals.lab.scheduler_settings import BLOCKS, Monitoring

DOCS = Path(__file__).parent.parent.parent / "docs" / "lab"
GUIDES = {
    "reward_config": "reward_config_guide.md",
    "kl_regularization": "kl_regularization_guide.md",
    "temperature_control": "temperature_controller_parameters.md",
    "statistics_stabilization": "statistics_stabilization_guide.md",
    "step_adaptation": "training_monitoring_guide.md",
}


@pytest.mark.parametrize(("block", "guide"), GUIDES.items())
def test_a_guide_has_every_setting_of_its_block_with_its_default(block: str, guide: str) -> None:
    text = (DOCS / guide).read_text()

    for name in BLOCKS[block]:
        default = json.dumps(asdict(SchedulerConfig())[name])
        assert f"| `{name}` | {default} |" in text, name


def test_the_guide_to_monitoring_has_its_settings_and_all_other_guides() -> None:
    text = (DOCS / "training_monitoring_guide.md").read_text()

    for name, default in asdict(Monitoring()).items():
        assert f"| `{name}` | {json.dumps(default)} |" in text, name
    for guide in {*GUIDES.values()} - {"training_monitoring_guide.md"}:
        assert f"]({guide})" in text


def test_faults_that_guides_speak_of_exist() -> None:
    known = {fault.name for fault in FAULTS}
    for guide in GUIDES.values():
        told = (DOCS / guide).read_text().split("--fault ")[1].split()[0]
        assert told in known
