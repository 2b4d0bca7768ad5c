"""What users read is plain English: constructions that read as translated stay out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted((ROOT / "src" / "runvitals").rglob("*.py"))
SHOWN = sorted(p for p in (ROOT / "web" / "src").rglob("*.svelte"))

# each with what to say instead
BANNED = {
    r"\b(is|are|was|were) no (?!longer|more|less|better|worse|such|one\b|need|way|use\b|good|other)"
    r"[a-z]+": "say `is not a ...`, or `there is no ...` where something is missing",
    r"\bso many\b": "say `this many`, or give the number",
    r"\btold of\b": "say `reported` or `mentioned`",
    r"\bmakes no sense\b": "say what was expected and what came",
    r"\b(one|a) run (each|a side)\b": "say `one run per side`",
    r"\bof which any\b": "say `any of which`",
    r"\banew\b": "say `again`",
    r"\bonce more\b": "say `again`",
    r"\bbut for (?!stays\b)": "say `except for`",
    r"\b[Tt]ells? of\b": "say `shows`, `reports` or `mentions`",
    r"\b(names?|error|message|finding|findings|rank)( \w+)? speaks? of\b": "say `mentions`",
    r"\bwhat came of\b": "say `the outcome`",
    r"\bfor whom\b": "say which runs it applies to",
    r"\bnothing of it\b": "say `none of it`",
    r"\bthat are none\b": "say what they are instead",
    r"\b(one|a|an) \w+ a (run|metric|line|row|step|point|rank|second|update|folder|file)\b": (
        "say `per run`"
    ),
    r"\b(no|not)( \w+){1,2} any more\b": "say `no longer`",
    r"\b[Rr]uns? that (goes|go) on\b": "say `running`, or `that is still running`",
    r"; (training|the run) goes on\b": "say `continues`",
    r"\bfor ever\b": "say `forever`, or for how long",
    r"\b(warning|notice) are\b": "say `it is a warning if ...`",
    r"\bowns? the (update|batch)\b": "say `dominates`",
    r"\bmay be,? (noise )?allowed for\b": "say `allowing for noise`",
    r"\bis the matter of\b": "say which rule covers it",
    r"\bdo(es)? not do well\b": "say `is not doing well`",
    r"\bdoes not suffer\b": "say `is holding up`",
    r"\busual is (up|between|from)\b": "say `up to 0.1 is usual`",
    r"\d are usual\b": "say `0.1 to 0.3 is usual`",
    r"\bgraver\b": "say `more severe`",
    r"\bof the wrong sign\b": "say `with the wrong sign`",
    r"\b[Bb]esides, ": "say `in addition`",
    r"\bby and by\b": "say `gradually`",
    r"\bknown are\b": "say `choose one of`",
    r"\b(runs|logs) lie below\b": "say `found 3 runs in ...`",
    r"\bexclude each other\b": "say `cannot be used together`",
    r"\bcannot be meant\b": "say `cannot be intended`",
    r"\bthe contrary\b": "say `the opposite`",
    r"\b[Ww]here (it uses|there is) no\w*\b": "say `if ...` or `without ...`",
}
# `there is no X` is plain English
ALLOWED = re.compile(r"\b[Tt]here (is|are|was|were) no \w+")


def complaints(text: str) -> list[str]:
    text = ALLOWED.sub("", " ".join(text.split()))
    return [
        f"“{found[0]}”: {instead}"
        for pattern, instead in BANNED.items()
        for found in re.finditer(pattern, text)
    ]


def spoken(module: Path) -> list[str]:
    """The texts of a module that somebody may be shown: all but the docstrings of its own code.

    The docstring of a rule or a command is its page, and counts.
    """
    tree = ast.parse(module.read_text())
    silent: set[int] = set()
    if not {"rules", "cli"} & set(module.relative_to(ROOT).parts):
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0] if node.body else None
                if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                    silent.add(id(first.value))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_read_as_plain_english(page):
    assert complaints(page.read_text()) == []


def test_messages_and_help_read_as_plain_english():
    found = {
        str(module.relative_to(ROOT)): said
        for module in MODULES
        if (said := [one for text in spoken(module) for one in complaints(text)])
    }

    assert found == {}


def test_the_dashboard_reads_as_plain_english():
    found = {p.name: said for p in SHOWN if (said := complaints(p.read_text()))}

    assert found == {}


def test_the_test_itself_notices_a_translated_sentence():
    assert complaints("`system=3` is no number of seconds")
    assert complaints("at most 200 runs that go on are shown, with one line a run")
    assert complaints("clip range 0.9; 0.1 to 0.3 are usual")
    assert not complaints("there is no run named 'x' to resume")
