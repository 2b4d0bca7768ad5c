"""Pages of the site that are written from the code when it is built: commands and the Python API."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from mkdocs.structure.files import File, Files
from typer.main import get_command

import runvitals as rv
from runvitals.cli.main import app


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the pages to those of docs/."""
    for name, lines in {"cli": _cli(), "api": _api()}.items():
        text = "\n".join(lines) + "\n"
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def _cli() -> Iterator[str]:
    yield "# Commands\n"
    yield "Every command with its options, as `runvitals COMMAND --help` shows them."
    yield "What may be set in a file: [settings](../guides/judging.md#settings)."
    yield "The options of each rule: [rules](rules.md).\n"
    yield from _commands("runvitals", get_command(app))


def _commands(path: str, group: Any) -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(f"{path} {name}", command)
            continue
        yield f"## {path} {name}\n"
        yield _as_markdown(command.help or "") + "\n"
        yield "| | | by default |"
        yield "|---|---|---|"
        for one in command.params:
            names = ", ".join(f"`{opt}`" for opt in (*one.opts, *one.secondary_opts))
            title = names if one.param_type_name == "option" else f"`{one.name.upper()}`"
            usual = "" if one.default in (None, False, ()) or callable(one.default) else one.default
            yield f"| {title} | {_cell(getattr(one, 'help', None) or '')} | {_cell(str(usual))} |"
        yield ""


def _api() -> Iterator[str]:
    yield "# Python\n"
    yield "What `import runvitals as rv` offers. Everything else in the package may change.\n"
    for name in rv.__all__:
        thing = getattr(rv, name)
        yield f"## rv.{name}\n"
        yield f"```text\n{name}{_signature(thing)}\n```\n"
        yield _as_markdown(inspect.getdoc(thing) or "") + "\n"
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            yield from _members(thing)


def _members(thing: type) -> Iterator[str]:
    found = {name: one for name, one in vars(thing).items() if name[0] != "_" and _doc(one)}
    if found:
        yield "| | |"
        yield "|---|---|"
    for name, one in found.items():
        call = _signature(one) if callable(one) else ""
        yield f"| `{name}{_cell(call)}` | {_cell(_doc(one))} |"
    yield ""


def _doc(member: Any) -> str:
    """First paragraph of a method's or property's docstring."""
    if not (inspect.isfunction(member) or isinstance(member, property)):
        return ""
    return " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())


def _signature(thing: Any) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):  # built in C
        return ""
    return re.sub(r"\bself, |\(self\)", lambda found: "()" if ")" in found[0] else "", text)


def _as_markdown(text: str) -> str:
    """Examples of commands and of Python as blocks of code."""
    lines = inspect.cleandoc(text).replace("\b\n", "").split("\n")
    code = [
        f"    {line}" if re.match(r"(runvitals |>>>|\.\.\. )", line) else line for line in lines
    ]
    return "\n".join(code)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
