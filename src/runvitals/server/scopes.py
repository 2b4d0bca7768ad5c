"""Who reads, and of which projects: tokens from a file, each with the projects it opens.

    [readers.alice]
    token = "..."                      # or token_env = "ALICE_TOKEN"
    projects = ["cartpole", "ppo-*"]   # paths or patterns; "*" is everything

A project is the folder that a run lies in, as a path from the folder that is served ("teams/vision";
"." for that folder itself), after links are followed. `*` stands for a part of one name, `**` at the
end for all folders below. Runs of other projects do not exist for a reader.
"""

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

EVERYTHING = ("*",)
MIN_TOKEN_LENGTH = 8  # characters
_FIELDS = {"token", "token_env", "projects"}
_projects: ContextVar[tuple[str, ...]] = ContextVar("projects", default=EVERYTHING)


@dataclass(frozen=True)
class TokenHolder:
    """Somebody with a token, which is never shown."""

    name: str
    token: str = field(repr=False)
    projects: tuple[str, ...] = EVERYTHING


@contextmanager
def reading(projects: tuple[str, ...]) -> Iterator[None]:
    """While a request of a reader is answered."""
    before = _projects.set(projects)
    try:
        yield
    finally:
        _projects.reset(before)


def may_read(project: str) -> bool:
    """Whether the reader whose request is answered may see the runs of a project."""
    return any(fits(project, pattern) for pattern in _projects.get())


def fits(project: str, pattern: str) -> bool:
    """Whether a project is one that a pattern names.

    >>> fits("alpha", "al*"), fits("gamma/alpha", "alpha"), fits("gamma/alpha", "*")
    (True, False, True)
    >>> fits("teams/a", "teams/*"), fits("teams/a/b", "teams/*"), fits("teams/a/b", "teams/**")
    (True, False, True)
    """
    if pattern in EVERYTHING:
        return True
    names, wanted = project.split("/"), pattern.strip("/").split("/")
    if wanted[-1] == "**":
        wanted = wanted[:-1]
        names = names[: len(wanted)]
    return len(names) == len(wanted) and all(map(fnmatchcase, names, wanted))


def scope() -> tuple[str, ...]:
    """The projects of the reader whose request is answered."""
    return _projects.get()


def sees_everything() -> bool:
    """Whether that reader may see all projects."""
    return "*" in _projects.get()


def read_tokens(path: Path) -> tuple[TokenHolder, ...]:
    """The readers in a file of tokens. No error tells what a token is."""
    from runvitals.model import ConfigError  # with NumPy, for which the page would wait

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read the tokens in {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise ConfigError(f"{path} is not valid TOML", hint=_example()) from None
    told = content.get("readers")
    if not isinstance(told, dict) or not told or content.keys() != {"readers"}:
        raise ConfigError(f"{path} lists no readers", hint=_example())
    readers = tuple(_reader(path, name, one) for name, one in told.items())
    if len({reader.token for reader in readers}) < len(readers):
        raise ConfigError(f"two readers in {path} have the same token", hint="give each its own")
    return readers


def _reader(path: Path, name: str, told: Any) -> TokenHolder:
    from runvitals.model import ConfigError  # with NumPy, for which the page would wait

    where = f"readers.{name} in {path}"
    if not isinstance(told, dict) or told.keys() - _FIELDS:
        raise ConfigError(f"{where} has unknown settings", hint=_example())
    token, variable = told.get("token"), told.get("token_env")
    if (token is None) == (variable is None):
        raise ConfigError(f"{where} needs either token or token_env")
    if variable is not None:
        token = os.environ.get(str(variable))
        if token is None:
            raise ConfigError(f"{where}: the variable {variable} is not set")
    if not isinstance(token, str) or len(token) < MIN_TOKEN_LENGTH:
        raise ConfigError(f"{where}: a token needs at least {MIN_TOKEN_LENGTH} characters")
    projects = told.get("projects")
    if not isinstance(projects, list) or not projects or not all(_is_name(p) for p in projects):
        raise ConfigError(f'{where} needs projects, a list of names; ["*"] is everything')
    return TokenHolder(name, token, tuple(projects))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _example() -> str:
    return 'for example [readers.alice] with token_env = "ALICE_TOKEN" and projects = ["ppo-*"]'
