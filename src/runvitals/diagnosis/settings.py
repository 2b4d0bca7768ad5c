"""Which rules a user wants, and how: what settings and command line say, checked against the rules."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from runvitals.diagnosis.engine import Choice
from runvitals.model import ConfigError, Severity
from runvitals.model.text import did_you_mean
from runvitals.rules.registry import Rule


def choice_from(table: Mapping[str, Any], known: Mapping[str, Rule]) -> Choice:
    """A choice from the settings, checked against the rules there are."""
    preview, texts = table.get("preview", False), table.get("texts", True)
    for key, value in {"preview": preview, "texts": texts}.items():
        if not isinstance(value, bool):
            raise ConfigError(f"`{key}` must be true or false, got {value!r}")
    options: dict[str, dict[str, Any]] = {}
    severities: dict[str, Severity] = {}
    rules = table.get("rules", {})
    if not isinstance(rules, Mapping):
        raise ConfigError("`rules` must be a table", hint="write [rules.KL001]")
    for code, given in rules.items():
        rule = find_rule(code, known)
        if not isinstance(given, Mapping):
            raise ConfigError(f"`rules.{code}` must be a table", hint=f"write [rules.{code}]")
        for option, value in given.items():
            if option == "severity":
                severities[rule.code] = _severity(value, code)
            else:
                options.setdefault(rule.code, {})[option] = _option(rule, option, value)
    return Choice(
        select=checked_codes(table.get("select", []), "select", known),
        ignore=checked_codes(table.get("ignore", []), "ignore", known),
        preview=preview,
        options=options,
        severities=severities,
        texts=texts,
    )


def notify_from(table: Mapping[str, Any]) -> tuple[str, ...]:
    """The apprise URLs that findings of live runs go to."""
    urls = table.get("notify", [])
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
        raise ConfigError("`notify` must be a list of URLs", hint='write notify = ["json://host"]')
    return tuple(urls)


def checked_codes(codes: Any, what: str, known: Mapping[str, Rule]) -> tuple[str, ...]:
    """The codes, if each names at least one rule."""
    if not isinstance(codes, list | tuple) or not all(isinstance(code, str) for code in codes):
        raise ConfigError(f"`{what}` must be a list of codes", hint=f'write {what} = ["KL001"]')
    for code in codes:
        if not any(rule.code.startswith(code) or rule.name == code for rule in known.values()):
            find_rule(code, known)
    return tuple(codes)


def check_consistent(choice: Choice, known: Mapping[str, Rule]) -> None:
    """An error if a selected code is ignored as a whole."""
    for code in choice.select:
        chosen: Sequence[Rule] = [
            rule for rule in known.values() if rule.code.startswith(code) or rule.name == code
        ]
        if not any(choice.wants(rule) for rule in chosen):
            raise ConfigError(
                f"{code} is both selected and ignored",
                hint="take it out of select (--select) or out of ignore (--ignore)",
            )


def find_rule(code: str, known: Mapping[str, Rule]) -> Rule:
    """By code or by name; an error with the nearest codes if there is none."""
    if code.upper() in known:
        return known[code.upper()]
    for rule in known.values():
        if rule.name == code:
            return rule
    family = [one for one in known if one.rstrip("0123456789") == code.upper()]
    if family:
        raise ConfigError(
            f"{code} is a family of {len(family)} rules",
            hint=f"choose one of {', '.join(family)}; `runvitals rules {code.upper()}` lists them",
        )
    names = (*known, *(rule.name for rule in known.values()))
    hint = did_you_mean(code, names) or "`runvitals rules` lists them"
    raise ConfigError(f"no rule {code!r}", hint=hint)


def _severity(value: Any, code: str) -> Severity:
    if value not in get_args(Severity):
        raise ConfigError(
            f"`rules.{code}.severity` must be one of {', '.join(get_args(Severity))}, got {value!r}"
        )
    severity: Severity = value
    return severity


def _option(rule: Rule, option: str, value: Any) -> Any:
    """A value that fits the option: numbers where numbers are wanted."""
    if option not in rule.options:
        choices = ", ".join([*rule.options, "severity"])
        raise ConfigError(f"{rule.code} has no option {option!r}", hint=f"it has {choices}")
    usual = rule.options[option]
    wanted = float if usual is None or isinstance(usual, float) else type(usual)
    fits = isinstance(value, wanted) and not (wanted is not bool and isinstance(value, bool))
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not fits:
        kind = {float: "a number", int: "a whole number", bool: "true or false", str: "text"}
        raise ConfigError(
            f"`rules.{rule.code}.{option}` must be {kind.get(wanted, wanted.__name__)}, got {value!r}",
            hint=f"its usual value is {usual}",
        )
    return value
