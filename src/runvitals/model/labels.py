"""Canonical names with labels, as they are written in `run.log`: `name{key=value,...}`."""

from __future__ import annotations

import re

_LABELS = re.compile(r"(?P<name>[^{}]+)\{(?P<labels>[^{}]*)\}")


def labelled(name: str, **labels: object) -> str:
    """A canonical name with labels, the way `run.log` takes them.

    >>> labelled("reward/component_mean", component="format")
    'reward/component_mean{component=format}'
    """
    inner = ",".join(f"{key}={value}" for key, value in labels.items())
    return f"{name}{{{inner}}}" if inner else name


def split_labels(name: str) -> tuple[str, dict[str, str]]:
    """The canonical name and its labels; the inverse of `labelled`.

    >>> split_labels("reward/component_mean{component=format}")
    ('reward/component_mean', {'component': 'format'})
    """
    found = _LABELS.fullmatch(name)
    if found is None:
        return name, {}
    pairs = (part.partition("=") for part in found["labels"].split(",") if part)
    return found["name"], {key.strip(): value.strip() for key, _, value in pairs}
