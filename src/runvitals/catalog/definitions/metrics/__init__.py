"""One module per subject: the canonical metrics, and what is known about each."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from runvitals.model import Metric

__all__ = ["load_metrics"]


@cache
def load_metrics() -> dict[str, Metric]:
    """Every canonical metric by id, subject by subject."""
    found: dict[str, Metric] = {}
    for module in pkgutil.iter_modules(__path__):
        for metric in import_module(f"{__name__}.{module.name}").METRICS:
            if metric.id in found:
                raise ValueError(f"metric {metric.id} is defined twice")
            found[metric.id] = metric
    return found
