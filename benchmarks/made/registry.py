"""All makers and their programs; needs none of the frameworks."""

from __future__ import annotations

import importlib

from benchmarks.made.programs import Program

MAKERS = ("loops", "hf", "trl", "cleanrl", "sb3")


def all_programs() -> list[Program]:
    """Of all makers."""
    modules = [importlib.import_module(f"benchmarks.made.{maker}") for maker in MAKERS]
    return [program for module in modules for program in module.PROGRAMS]
