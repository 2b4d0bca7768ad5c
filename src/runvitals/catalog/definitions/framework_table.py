"""What most tools log, and the metrics that it may be: rows for comparing the names of tools."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["COMPARED", "compared_metrics"]

# The first seven are the table of the Training Metrics Glossary, in its order.
COMPARED: Mapping[str, tuple[str, ...]] = {
    "Policy entropy": ("policy/entropy",),
    "KL divergence": (
        "policy/kl_old", "policy/approx_kl", "policy/kl_ref", "policy/kl_ref_sequence",
    ),
    "Gradient norm": ("policy/grad_norm", "optim/grad_norm"),
    "Response length": ("length/response_mean",),
    "Generation time": ("time/generation_s",),
    "Reward mean": ("reward/mean", "reward/score_mean", "outcome/return_mean"),
    "DPO margin": ("preference/margin",),
    "Policy loss": ("policy/loss", "policy/loss_total"),
    "Clip fraction": ("policy/clip_fraction",),
    "Value loss": ("value/loss",),
    "Explained variance": ("value/explained_variance",),
    "Learning rate": ("policy/learning_rate", "optim/learning_rate"),
    "Loss": ("optim/loss",),
}  # fmt: skip


def compared_metrics(text: str) -> tuple[str, ...]:
    """The metrics of the row whose title has these words; none if no row or several have them.

    >>> compared_metrics("entropy"), compared_metrics("KL")[0]
    (('policy/entropy',), 'policy/kl_old')
    """
    wanted = set(text.casefold().split())
    if same := [ids for title, ids in COMPARED.items() if title.casefold() == text.casefold()]:
        return same[0]
    found = [ids for title, ids in COMPARED.items() if wanted <= set(title.casefold().split())]
    return found[0] if len(found) == 1 and wanted else ()
