"""Hooks: what a library is told to log goes into the run too, without a line of code.

The `HOOKS` of each file are found by themselves; each says which calls of which modules it looks at. A
module gets its hook right after it was imported (wrapt), and nothing is imported on its behalf. The
library's own call is passed on unchanged; what goes wrong here is said once and stays here.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from functools import cache, partial
from importlib import import_module

from runvitals.integrations.hooks._hook import Hook

SKIPPED = "RUNVITALS_SKIP_HOOKS"  # names of hooks to leave out, separated by commas


@cache
def hooks() -> tuple[Hook, ...]:
    """All hooks there are, by name."""
    files = [one.name for one in pkgutil.iter_modules(__path__) if one.name[0] != "_"]
    found = [hook for file in files for hook in import_module(f"{__name__}.{file}").HOOKS]
    return tuple(sorted(found, key=lambda hook: hook.name))


def wanted_hooks() -> list[Hook]:
    """Those that the user did not turn off."""
    off = {name.strip() for name in os.environ.get(SKIPPED, "").split(",")}
    return [hook for hook in hooks() if hook.name not in off]


_installed = False


def install() -> None:
    """Wait for all libraries that have a hook, those that are imported already included."""
    global _installed
    if _installed:
        return
    _installed = True
    from wrapt import register_post_import_hook

    for hook in wanted_hooks():
        for module in hook.modules:
            register_post_import_hook(partial(hook.install, module), module)


def packages() -> list[str]:
    """The top-level packages whose import brings the hooks in."""
    found = {module.partition(".")[0] for hook in wanted_hooks() for module in hook.modules}
    return sorted(found - set(sys.stdlib_module_names))
