"""What the live judge needs before its first look, imported away from the training loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from runvitals.diagnosis.engine import Choice
from runvitals.diagnosis.plugins import load_installed
from runvitals.diagnosis.settings import find_settings, read_notify, read_settings
from runvitals.model import ConfigError
from runvitals.rules.registry import rules


def prepare(complain: Callable[[str, str], None]) -> tuple[Choice, list[str]]:
    """The rules to ask, as the settings file has it, and the URLs to notify."""
    for problem in load_installed():
        complain(f"live {problem}", f"live judge: {problem}")
    known = rules()
    import_module("runvitals.readers.bind")  # for the first look
    choice, urls = Choice(), []
    try:
        path = find_settings(Path.cwd())
        if path is not None:
            choice, urls = read_settings(path, known), read_notify(path)
    except ConfigError as error:
        complain("live settings", f"the live judge goes without your settings: {error}")
    return replace(choice, seconds_per_rule=math.inf), urls
