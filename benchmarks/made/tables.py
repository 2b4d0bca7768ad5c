"""Tables of numbers to classify, cut into what is trained on, held out and kept for the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Table:
    """Examples with their classes."""

    train: tuple[Array, Array]
    held_out: tuple[Array, Array]
    final: tuple[Array, Array]
    classes: int


def load(name: str, seed: int) -> Table:
    """A table by name, shuffled with the seed."""
    from sklearn import datasets

    rng = np.random.default_rng(seed)
    if name == "rings":
        x, y = datasets.make_circles(1200, noise=0.08, factor=0.5, random_state=seed)
    else:
        source = {"digits": "load_digits", "wine": "load_wine", "cancer": "load_breast_cancer"}
        x, y = getattr(datasets, source[name])(return_X_y=True)
    x = ((x - x.mean(axis=0)) / (x.std(axis=0) + 1e-8)).astype(np.float32)
    order = rng.permutation(len(x))
    x, y = x[order], y[order]
    a, b = int(0.6 * len(x)), int(0.8 * len(x))
    parts = (x[:a], y[:a]), (x[a:b], y[a:b]), (x[b:], y[b:])
    return Table(*parts, classes=int(y.max()) + 1)


def damaged(table: Table, settings: Any, seed: int) -> Table:
    """The same with the training or held-out part spoilt, as the settings ask."""
    rng = np.random.default_rng(seed + 1)
    (x, y), (held_x, held_y) = table.train, table.held_out
    if settings.get("examples"):
        x, y = x[: settings["examples"]], y[: settings["examples"]]
    if settings.get("copies"):
        x, y = np.repeat(x, settings["copies"], axis=0), np.repeat(y, settings["copies"])
    if share := settings.get("wrong_labels"):
        wrong = rng.random(len(y)) < share
        y = np.where(wrong, rng.integers(0, table.classes, len(y)), y)
    if settings.get("held_out_shuffled"):
        held_y = rng.permutation(held_y)
    return Table((x, y), (held_x, held_y), table.final, table.classes)
