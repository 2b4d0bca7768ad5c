"""What the shell offers after a Tab. Each function imports only what it needs, when it is asked."""

import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import typer

Offer = tuple[str, str]  # what to insert, and what it is

_FILE = re.compile(r"(?P<code>[a-z]+\d{3})_(?P<name>\w+)\.py")


def codes(incomplete: str) -> list[Offer]:
    """Codes of rules."""
    return _beginning(_rules(), incomplete.upper())


def codes_and_families(incomplete: str) -> list[Offer]:
    """Codes of rules, and their beginnings."""
    found = dict(_rules())
    families = {code.rstrip("0123456789"): "all rules of this family" for code in found}
    return _beginning((families | found).items(), incomplete.upper())


def _rules() -> Iterator[Offer]:
    """By the names of their files: to import a hundred of them takes too long for a Tab."""
    package = find_spec("runvitals.rules")
    for folder in (package.submodule_search_locations or ()) if package is not None else ():
        for file in sorted(Path(folder).glob("*/*.py")):
            if match := _FILE.fullmatch(file.name):
                yield match["code"].upper(), match["name"].replace("_", "-")


def metrics(incomplete: str) -> list[Offer]:
    """Canonical ids; if none begins so, the names that tools log."""
    from runvitals import catalog

    ids = ((one.id, one.title or one.meaning) for one in catalog.METRICS.values())
    return _beginning(ids, incomplete) or _beginning(_logged_names(), incomplete)


def _logged_names() -> Iterator[Offer]:
    from runvitals import catalog

    for tool in catalog.FRAMEWORKS.values():
        for alias in tool.aliases:
            if alias.metric is not None and "{" not in alias.name:
                yield alias.name, f"{alias.metric} ({tool.id})"


def frameworks(incomplete: str) -> list[Offer]:
    """Tools whose logs are known."""
    from runvitals import catalog

    return _beginning(((one.id, one.title) for one in catalog.FRAMEWORKS.values()), incomplete)


def categories(incomplete: str) -> list[Offer]:
    """Categories of metrics."""
    from runvitals import catalog

    found = dict.fromkeys(metric.category for metric in catalog.METRICS.values())
    return _beginning(((category, "") for category in found), incomplete)


def scenarios(incomplete: str) -> list[Offer]:
    """Lists of what to watch."""
    from runvitals import catalog

    return _beginning(((one.id, one.title) for one in catalog.SCENARIOS.values()), incomplete)


def trainers(incomplete: str) -> list[Offer]:
    """Trainers of the lab."""
    from runvitals.lab.registry import FILES

    return _beginning(((name, "") for name in FILES), incomplete)


def tasks(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Tasks of the trainer that was named before."""
    return _of_trainer(ctx, "tasks", incomplete)


def faults(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Faults of the trainer that was named before."""
    return _of_trainer(ctx, "faults", incomplete)


def variants(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Healthy variants of the trainer that was named before."""
    return _of_trainer(ctx, "variants", incomplete)


def _of_trainer(ctx: typer.Context, what: str, incomplete: str) -> list[Offer]:
    from runvitals.lab import registry

    # behind an option that still lacks its value, arguments are not yet told apart
    words = [ctx.params.get("trainer"), *ctx.args]
    name = next((word for word in words if word in registry.FILES), None)
    if name is None:
        return []
    trainer = registry.trainer(name)
    choices = registry.faults_of(trainer) if what == "faults" else getattr(trainer, what)
    return _beginning(((one.name, one.title) for one in choices), incomplete)


def _beginning(offers: Iterable[Offer], incomplete: str) -> list[Offer]:
    return [(word, what) for word, what in offers if word.startswith(incomplete)]
