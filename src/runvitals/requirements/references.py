"""What may serve an item: whether it is there, and how the page shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from runvitals import catalog
from runvitals.lab.registry import trainers
from runvitals.rules.registry import rules

DOCS = Path(__file__).resolve().parents[3] / "docs"


def exists(reference: str) -> bool:
    """Whether what a reference names is there: a rule, a metric, a command, a page.

    >>> exists("rule:KL001"), exists("rule:KL999"), exists("list:ppo-grpo/Efficiency")
    (True, False, True)
    """
    kind, _, name = reference.partition(":")
    return kind in _KINDS and _KINDS[kind][0](name)


def shown(reference: str) -> str:
    """A reference in Markdown, seen from docs/requirements.md."""
    kind, _, name = reference.partition(":")
    return _KINDS[kind][1](name)


def _is_metric(name: str) -> bool:
    return catalog.metric(name) is not None


def _has_range(name: str) -> bool:
    found = catalog.metric(name)
    return found is not None and bool(found.healthy)


def _is_list(name: str) -> bool:
    id, _, title = name.partition("/")
    known = {**catalog.SCENARIOS, **catalog.CHAPTERS}
    return id in known and (not title or title in [group.title for group in known[id].groups])


def _is_symptom(name: str) -> bool:
    signs = [name for one in catalog.SYMPTOMS for name in (one.sign, *one.lists)]
    return name in signs


@cache
def _commands() -> frozenset[str]:
    from runvitals.cli.main import app

    names = {_name(one.name, one.callback) for one in app.registered_commands}
    for group in app.registered_groups:
        inner = group.typer_instance
        if inner is not None:
            head = group.name or inner.info.name
            names |= {
                f"{head} {_name(one.name, one.callback)}" for one in inner.registered_commands
            }
    return frozenset(names)


def _name(given: str | None, callback: Callable[..., object] | None) -> str:
    return given or (callback.__name__ if callback else "")


def _is_format(name: str) -> bool:
    from runvitals.readers.registry import readers

    return name in {one.id for one in readers()}


def _is_fault(name: str) -> bool:
    trainer, _, fault = name.partition("/")
    return any(
        one.name == trainer and (not fault or fault in [f.name for f in one.faults])
        for one in trainers()
    )


def _is_function(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    return hasattr(import_module(module), attribute)


def _rule(code: str) -> str:
    rule = rules()[code]
    family = rule.check.__module__.removeprefix("runvitals.rules.").partition(".")[0]
    anchor = f"{code} {rule.name}".lower().replace(" ", "-")
    return f"[{code}](reference/rules/{family}.md#{anchor})"


def _metric(id: str) -> str:
    return f"[`{id}`](reference/metrics.md)"


_KINDS: Mapping[str, tuple[Callable[[str], bool], Callable[[str], str]]] = {
    "metric": (_is_metric, _metric),
    "range": (_has_range, lambda id: f"range of {_metric(id)}"),
    "rule": (lambda code: code in rules(), _rule),
    "list": (_is_list, lambda name: f"list [{name}](reference/watch-lists.md)"),
    "symptom": (_is_symptom, lambda name: f"symptom [{name}](reference/symptoms.md)"),
    "word": (lambda name: name in catalog.TERMS, lambda name: f"[{name}](reference/glossary.md)"),
    "setting": (lambda name: name in catalog.CONFIG_KEYS, lambda name: f"setting `{name}`"),
    "command": (lambda name: name in _commands(), lambda name: f"`runvitals {name}`"),
    "format": (_is_format, lambda name: f"reader [{name}](reference/formats.md)"),
    "lab": (
        _is_fault,
        lambda name: f"[lab {name.replace('/', ': ')}](lab/{name.partition('/')[0]}.md)",
    ),
    "python": (_is_function, lambda name: f"`{name}`"),
    "page": (lambda name: (DOCS / name).is_file(), lambda name: f"[{name}]({name})"),
}
