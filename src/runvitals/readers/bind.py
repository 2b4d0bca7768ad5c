"""Says what the names of a run mean, once, for every format alike."""

from __future__ import annotations

from runvitals import catalog
from runvitals.model import Binding, Run


def bind(run: Run, *, framework: str | None = None, algorithm: str | None = None) -> Run:
    """Bind original names to the catalog; `framework` and `algorithm` override what is guessed."""
    names = run.names()
    hint = framework or run.framework
    kind = algorithm or run.algorithm
    resolved = catalog.resolve_all(names, framework=hint, algorithm=kind)
    run.bind(
        {
            name: Binding(
                found.metric,
                dict(found.labels),
                None if found.is_identity else found.apply,
                found.framework,
                found.how,
            )
            for name, found in resolved.items()
        }
    )
    run.framework = hint
    run.algorithm = kind
    return run
