"""Settings that somebody logged as a text: a Markdown table, JSON, or indented lines."""

from __future__ import annotations

from typing import Any

from runvitals.readers.tfevents._columns import text_name
from runvitals.readers.tfevents._extras import MAX_CONFIG_LENGTH, EventFileSettings
from runvitals.tfevents.decode import CONFIG_TEXTS


def settings_in_text(tag: str, text: str) -> dict[str, Any]:
    """The settings in a text whose name says that it holds some; nothing in other texts.

    >>> settings_in_text("hyperparameters", "|param|value|\\n|-|-|\\n|gamma|0.99|\\n|env_id|Hopper-v5|")
    {'gamma': 0.99, 'env_id': 'Hopper-v5'}
    >>> settings_in_text("sample", "|gamma|0.99|")
    {}
    """
    name = text_name(tag)
    if name not in CONFIG_TEXTS or len(text) > MAX_CONFIG_LENGTH:
        return {}
    found = EventFileSettings()
    found.take_text(name, text)
    return found.config
