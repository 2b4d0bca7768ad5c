"""argparse and tyro: the options of the script are the settings of its run.

They are kept until the process records something; a launcher that has options and logs nothing begins
no run.
"""

from __future__ import annotations

from typing import Any

from runvitals.integrations.hooks._hook import Call, Hook, keep_config

NAME = "argument-parsers"


def _parsed(call: Call, found: Any) -> None:
    if not call.inside(NAME):  # parse_args calls parse_known_args
        keep_config(found[0] if isinstance(found, tuple) else found)


_PARSERS = (
    "argparse:ArgumentParser.parse_args",
    "argparse:ArgumentParser.parse_known_args",
    "tyro:cli",
)
HOOKS = (
    Hook(
        NAME,
        "argparse, tyro",
        "the script's options, as its settings",
        results=dict.fromkeys(_PARSERS, _parsed),
    ),
)
