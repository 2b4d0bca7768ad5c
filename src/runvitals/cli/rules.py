"""`runvitals rules` and `runvitals rule`: the rule book."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runvitals.cli.options import Format, described
from runvitals.cli.output import print_json

if TYPE_CHECKING:
    from runvitals.rules.registry import Rule


@described("family (complete=codes_and_families): Only codes with this prefix, such as KL.")
def rules(family: str | None = None, format: Format = Format.text) -> None:
    """List the rules: what each looks for, how severe it is, and what it needs."""
    from rich.console import Console

    from runvitals.model import ConfigError
    from runvitals.render.terminal import table
    from runvitals.rules.registry import rules as all_rules

    found = [rule for rule in all_rules().values() if rule.code.startswith((family or "").upper())]
    if not found:
        families = dict.fromkeys(code.rstrip("0123456789") for code in all_rules())
        raise ConfigError(
            f"no rules with codes that start with {family!r}",
            hint=f"choose one of {', '.join(families)}",
        )
    if format is Format.json:
        print_json([_as_json(rule) for rule in found])
        return
    shown = table("code", "name", "severity", "what it finds", overflow="fold")
    shown.columns[0].no_wrap = True
    for rule in found:
        preview = " (preview)" if rule.preview else ""
        shown.add_row(rule.code, rule.name, rule.severity + preview, rule.title)
    Console(highlight=False).print(shown)


@described("code (complete=codes): A code such as KL001, or a rule's name.")
def rule(code: str, format: Format = Format.text) -> None:
    """Explain a rule: what it looks for, why, usual causes, what to try, when to ignore it."""
    import inspect

    from rich.console import Console
    from rich.markdown import Markdown

    from runvitals.diagnosis.settings import find_rule
    from runvitals.rules.registry import rules as all_rules

    found = find_rule(code, all_rules())
    if format is Format.json:
        print_json(_as_json(found))
        return
    text = inspect.getdoc(found.check) or ""
    options = "\n".join(f"- `{name}` = {usual}" for name, usual in found.options.items())
    needs = ", ".join(f"`{need}`" for need in found.needs) or "nothing"
    head = f"# {found.code} {found.name}\n\n{found.severity}; needs {needs}"
    tail = f"\n\n## Options\n{options}" if options else ""
    Console().print(Markdown(f"{head}\n\n{text}{tail}"))


def _as_json(rule: Rule) -> dict[str, Any]:
    import inspect

    return {**rule.facts(), "options": rule.options, "text": inspect.getdoc(rule.check)}
