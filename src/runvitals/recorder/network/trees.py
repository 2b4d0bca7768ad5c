"""The same vitals for JAX: pytrees of parameters, gradients and updates in, scalars by block out."""

from __future__ import annotations

from typing import Any

from runvitals.model import ConfigError, labelled
from runvitals.recorder.network.blocks import blocks_of, groups


def tree_vitals(params: Any, grads: Any = None, updates: Any = None) -> dict[str, Any]:
    """`net/grad_norm`, `net/weight_norm` and `net/update_ratio`, overall and by block.

    The trees have one structure; `updates` is what is added to the parameters (as optax returns it).
    """
    import jax.numpy as jnp
    from jax import tree_util

    named, structure = tree_util.tree_flatten_with_path(params)
    blocks = blocks_of([".".join(map(_word, path)) or "weight" for path, _ in named])
    weights = [leaf for _, leaf in named]
    found: dict[str, Any] = {}

    def squares(tree: Any, what: str) -> list[Any]:
        leaves, other = tree_util.tree_flatten(tree)
        if other != structure:
            raise ConfigError(f"{what} and params are trees of different structure")
        return [jnp.sum(jnp.square(jnp.abs(leaf).astype(jnp.float32))) for leaf in leaves]

    sizes = {"net/weight_norm": squares(tree_util.tree_unflatten(structure, weights), "params")}
    if grads is not None:
        sizes["net/grad_norm"] = squares(grads, "grads")
    moved = None if updates is None else squares(updates, "updates")
    for labels, places in groups(blocks):
        for metric, mine in sizes.items():
            found[labelled(metric, **labels)] = jnp.sqrt(sum(mine[place] for place in places))
        if moved is not None:
            before = sum(sizes["net/weight_norm"][place] for place in places)
            ratio = jnp.sqrt(sum(moved[place] for place in places) / jnp.maximum(before, TINY))
            found[labelled("net/update_ratio", **labels)] = ratio
    return found


TINY = 1e-30  # against a division by zero: weights that are all 0


def _word(key: Any) -> str:
    """A step of a path in a tree: a dictionary's key, a field's name or a place in a list."""
    for field in ("key", "name", "idx"):
        if hasattr(key, field):
            return str(getattr(key, field))
    return str(key)
