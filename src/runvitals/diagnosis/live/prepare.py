"""What the live judge needs before its first look, imported away from the training loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from runvitals.diagnosis.engine import Choice
from runvitals.diagnosis.plugins import load_installed
from runvitals.diagnosis.settings import find_settings, read_notify, read_settings
from runvitals.model import ConfigError
from runvitals.readers.options import ReadOptions, load_options
from runvitals.rules.registry import rules


@dataclass(frozen=True)
class Prepared:
    """What the user has configured, as far as it can be read."""

    choice: Choice
    urls: list[str]
    options: ReadOptions


def prepare(complain: Callable[[str, str], None]) -> Prepared:
    """The rules to ask, as the settings file has it, and the URLs to notify."""
    for problem in load_installed():
        complain(f"live {problem}", f"live judge: {problem}")
    known = rules()
    import_module("runvitals.readers.bind")  # for the first look
    choice, urls, options = Choice(), [], ReadOptions()
    try:
        path = find_settings(Path.cwd())
        if path is not None:
            choice, urls = read_settings(path, known), read_notify(path)
        options = load_options()
    except ConfigError as error:
        complain("live settings", f"the live judge goes without your settings: {error}")
    return Prepared(replace(choice, seconds_per_rule=math.inf), urls, options)
