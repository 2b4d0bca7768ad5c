"""Says what the names and settings of a run mean, once, for every format alike."""

from __future__ import annotations

from runvitals import catalog
from runvitals.model import Binding, ConfigError, Run
from runvitals.readers.options import ReadOptions

_SURE = 0.5  # a tool guessed with less is not named


def bind(run: Run, options: ReadOptions | None = None) -> Run:
    """Bind names to the catalog. What the user says counts most, then the log, then a guess."""
    options = options or ReadOptions()
    names = run.names()
    framework = _checked_framework(options.framework) or _known_framework(run.framework)
    algorithm = options.algorithm or run.algorithm
    # What was sampled of the machine says nothing about the trainer, and may be most of the names.
    machine = [name for name in names if name.lower().startswith("system/")]
    told = [name for name in names if name not in set(machine)]
    resolved = catalog.resolve_all(told, framework=framework, algorithm=algorithm)
    resolved |= catalog.resolve_all(machine)
    bindings = {
        name: Binding(
            found.metric,
            dict(found.labels),
            None if found.is_identity else found.apply,
            found.framework,
            found.how,
        )
        for name, found in resolved.items()
    }
    for name, metric in options.names.items():
        if catalog.metric(metric) is None:
            near = ", ".join(catalog.suggest(metric, 3))
            raise ConfigError(
                f"there is no metric {metric!r} to map {name!r} to", hint=f"near: {near}"
            )
        bindings[name] = Binding(metric, how="mapped by the user")
    run.bind(bindings)
    if framework is None:
        guess = catalog.guess_framework(told)
        if guess.id is not None and guess.confidence >= _SURE:
            framework = guess.id
            run.evidence["framework"] = list(guess.evidence)
    settings = catalog.resolve_config(run.config)
    run.settings = {key: value for key, (_, value) in settings.items()}
    if algorithm is None and isinstance(run.settings.get("algorithm"), str):
        algorithm = str(run.settings["algorithm"]).upper()
        run.evidence["algorithm"] = [f"config {settings['algorithm'][0]}"]
    if algorithm is None and framework is not None:
        guess = catalog.algorithm_of(told, framework, run.config)
        if guess.id is not None:
            algorithm = guess.id
            run.evidence["algorithm"] = list(guess.evidence)
    run.framework, run.algorithm = framework, algorithm
    return run


def _known_framework(name: str | None) -> str | None:
    """The catalog's id for the tool that a run says it was written by; its own word if unknown."""
    return name if name is None else catalog.find_framework(name) or name


def _checked_framework(name: str | None) -> str | None:
    if name is None:
        return None
    found = catalog.find_framework(name)
    if found is None:
        known = ", ".join(sorted(catalog.FRAMEWORKS))
        raise ConfigError(f"no framework called {name!r} is known", hint=f"known: {known}")
    return found
