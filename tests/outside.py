"""Folders beside the repository that some tests read: logs that others published, and documents."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def outside(name: str) -> Path:
    """A folder in `../shared`; without it, the module that asks for it is skipped as a whole."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"needs ../shared/{name}, which no clone holds", allow_module_level=True)
    return folder
