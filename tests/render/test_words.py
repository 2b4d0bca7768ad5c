"""Every word of the verdict has its colour, its sign and its explanation, wherever words are shown."""

import re
from pathlib import Path
from typing import get_args

import pytest

from runvitals.model.finding import VerdictWord
from runvitals.render import notebook, text

ROOT = Path(__file__).parents[2]
WORDS = get_args(VerdictWord)
NEUTRAL = {"too early to tell", "cannot tell"}


def quoted(file: str, pattern: str) -> set[str]:
    """The words in a part of a source of the page."""
    [part] = re.findall(pattern, (ROOT / "web" / "src" / file).read_text(), re.DOTALL)
    return {word for word in WORDS if re.search(rf"(?<!not )\b{word}\b", part)}


def test_terminal_and_notebook_have_a_colour_for_each():
    assert set(text.VERDICT_COLOURS) == set(WORDS) - NEUTRAL
    assert set(notebook.WORDS) == set(WORDS) - NEUTRAL


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("ui/Verdict.svelte", r"ICONS.*?\};"),
        ("ui/Help.svelte", r"VERDICTS: .*?\n  \];"),
        ("data/runs.ts", r"WORST_FIRST = .*?\];"),
        ("pages/runs/Tally.svelte", r"ORDER = .*?\];"),
    ],
)
def test_the_page_lists_all(file, pattern):
    assert quoted(file, pattern) == set(WORDS)


def test_the_page_has_a_tone_for_each():
    assert quoted("ui/tones.ts", r"TONES.*?\};") == set(WORDS) - NEUTRAL


def test_the_guide_explains_all():
    guide = (ROOT / "docs" / "guides" / "verdict.md").read_text()

    assert re.findall(r"^\| \*\*(.+?)\*\* \|", guide, re.MULTILINE) == list(WORDS)
