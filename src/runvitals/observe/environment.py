"""What a command's processes find in their environment: the hooks, and the run to join."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from runvitals.integrations import hooks
from runvitals.recorder.child_run import Observed

SITE = Path(__file__).parent / "site"
HOOKED = (
    "RUNVITALS_HOOKED"  # packages whose import brings the hooks in; read by site/sitecustomize.py
)


def environment_for(
    observed: Observed, skip: Sequence[str] = (), environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """The environment of the command; what the user set is kept."""
    made = {**environment, **observed.environment()}
    if skip:
        already = [name for name in environment.get(hooks.SKIPPED, "").split(",") if name]
        made[hooks.SKIPPED] = ",".join([*already, *skip])
    made[HOOKED] = ",".join(hooks.packages())
    paths = [str(SITE), *environment.get("PYTHONPATH", "").split(os.pathsep)]
    made["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return made
