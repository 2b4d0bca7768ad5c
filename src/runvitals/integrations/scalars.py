"""Picks what can be recorded as numbers out of what a framework logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def numbers_of(logs: Mapping[str, Any]) -> dict[str, Any]:
    """Without None, texts and containers; TRL logs None for a reward that no sample of a batch got."""
    return {
        name: value
        for name, value in logs.items()
        if value is not None and not isinstance(value, str | Mapping | list)
    }
