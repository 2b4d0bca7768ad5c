"""Says once what a stand-in does not do."""

from __future__ import annotations

import functools

from runvitals.recorder.stderr import tell


@functools.cache
def tell_once(message: str) -> None:
    """Print it on standard error, the first time."""
    tell(message)
