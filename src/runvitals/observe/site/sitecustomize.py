"""Comes first in every Python process below `runvitals run`: lets the hooks in, then makes way.

`runvitals run` puts this folder at the head of PYTHONPATH. Children inherit it. A `sitecustomize` of
the user's own is loaded as if this one were not there. This file has to work in any Python that the
command may start, with or without runvitals in it, and must never keep it from starting.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))


def _elsewhere() -> list[str]:
    return [place for place in sys.path if os.path.abspath(place or os.curdir) != _HERE]


def _load_next() -> None:
    """The sitecustomize that would have been loaded without this one, if there is one."""
    mine = sys.modules.pop("sitecustomize", None)
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if mine is not None:
            sys.modules["sitecustomize"] = mine


class _Doorkeeper:
    """Installs the hooks when the first library that has one is imported, and not before.

    Most processes import no such library, and pay nothing for the hooks.
    """

    def __init__(self, packages: list[str]) -> None:
        self._packages = frozenset(packages)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Finds nothing itself; asks the others again once the hooks stand among them."""
        if name not in self._packages:
            return None
        sys.meta_path.remove(self)
        try:
            from runvitals.integrations import hooks

            hooks.install()
        except Exception as error:  # noqa: BLE001 - a Python without runvitals, or a broken one
            _note_missing(error)
        for finder in list(sys.meta_path):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None


def _let_hooks_in() -> None:
    packages = os.environ.get("RUNVITALS_HOOKED", "")
    if packages and os.path.isdir(os.environ.get("RUNVITALS_OBSERVED_RUN", "")):
        sys.meta_path.insert(0, _Doorkeeper(packages.split(",")))


def _note_missing(error: Exception) -> None:
    """Leave word for `runvitals run`, which says it once."""
    folder = os.path.join(os.environ["RUNVITALS_OBSERVED_RUN"], "guests")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "without_runvitals.txt"), "w") as file:
            file.write(f"{sys.executable}\n{type(error).__name__}: {error}\n")
    except OSError:
        pass


_let_hooks_in()
sys.path[:] = _elsewhere()
_load_next()
