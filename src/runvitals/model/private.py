"""Files in which a secret was hidden are for their owner only: there may be more that was not found."""

from __future__ import annotations

import os

HIDDEN = "***"  # stands for a secret
OWNER_ONLY = 0o600


def hides_something(data: bytes) -> bool:
    """Whether a secret was hidden in this."""
    return HIDDEN.encode() in data


def keep_private(file: int) -> None:
    """Close an open file to others, before something private is written to it."""
    if hasattr(os, "fchmod"):  # which Windows lacks
        os.fchmod(file, OWNER_ONLY)
