"""What the live judge needs before its first look, imported away from the training loop."""

import math
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from runvitals.diagnosis.judge import Settings, settings_for
from runvitals.model import ConfigError


def prepare(complain: Callable[[str, str], None], folder: Path | None) -> Settings:
    """How to judge, as the settings of this folder have it, as far as they can be read."""
    import_module("runvitals.readers.bind")  # for the first look
    try:
        settings = settings_for(folder=folder)
    except ConfigError as error:
        complain("live settings", f"the live judge goes without your settings: {error}")
        settings = Settings(plugins=True)
    choice = replace(settings.choice, seconds_per_rule=math.inf)
    return replace(settings, choice=choice)
