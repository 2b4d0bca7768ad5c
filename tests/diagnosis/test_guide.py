import re
import tomllib
from pathlib import Path

from runvitals.diagnosis.settings import choice_from
from runvitals.rules.registry import rules

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "judging.md"


def test_the_settings_in_the_guide_are_settings():
    [text] = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(), re.DOTALL)

    choice = choice_from(tomllib.loads(text), rules())

    assert choice.options == {"KL001": {"limit": 0.1}}
    assert choice.severities == {"KL001": "notice"}
    assert choice.preview
