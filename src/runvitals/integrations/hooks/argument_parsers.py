"""argparse and tyro: the options of the script are the settings of its run.

They are kept until the process records something; a launcher that has options and logs nothing begins
no run.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from runvitals.integrations.hooks._hook import Call, Hook, keep_config, see_results

NAME = "argument-parsers"


def install_argparse(module: ModuleType) -> None:
    """Hook `parse_args` and its kin."""
    see_results(module.ArgumentParser, "parse_args", NAME, _parsed)
    see_results(module.ArgumentParser, "parse_known_args", NAME, _parsed)


def install_tyro(module: ModuleType) -> None:
    """Hook `tyro.cli`."""
    see_results(module, "cli", NAME, _parsed)


def _parsed(call: Call, found: Any) -> None:
    if not call.inside(NAME):  # parse_args calls parse_known_args
        keep_config(found[0] if isinstance(found, tuple) else found)


HOOK = Hook(
    NAME,
    "argparse, tyro",
    "the script's options, as its settings",
    {"argparse": install_argparse, "tyro": install_tyro},
)
