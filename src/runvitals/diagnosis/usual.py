"""A run judged as its user has set things up, where nobody says otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from runvitals.diagnosis.engine import Choice, diagnose
from runvitals.diagnosis.plugins import load_installed
from runvitals.diagnosis.settings import find_settings, read_settings
from runvitals.model import Diagnosis, Run
from runvitals.rules.registry import rules


def usual_choice() -> tuple[Choice, list[str]]:
    """Which rules the nearest settings file wants, and what is wrong with installed rules."""
    problems = load_installed()
    settings = find_settings(Path.cwd())
    return Choice() if settings is None else read_settings(settings, rules()), problems


def diagnosed(run: Run, choice: Choice, problems: list[str]) -> Diagnosis:
    """What the rules say, with problems that were there before."""
    found = diagnose(run, choice)
    return replace(found, problems=(*found.problems, *problems))
