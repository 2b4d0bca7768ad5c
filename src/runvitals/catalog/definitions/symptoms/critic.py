"""What the critic does, and the advantages made from it."""

from __future__ import annotations

from runvitals.catalog.definitions.symptoms.sources import (
    EARLY_WARNINGS,
    GLOSSARY,
    TABLE,
    TELEMETRY,
)
from runvitals.model import Symptom

SYMPTOMS = (
    Symptom(
        "Value loss explodes",
        ("value/loss",),
        ("value/explained_variance", "returns/std", "value/grad_norm"),
        "an unstable critic, or returns computed wrongly",
        "check reward scale and return computation, lower the critic's learning rate, clip",
        TELEMETRY,
        also=(
            "big spikes of the critic loss",
            "value loss is huge or increasing",
            "critic instability",
            "value loss spikes",
        ),
        rules=("VAL001",),
        lists=(EARLY_WARNINGS,),
    ),
    Symptom(
        "Value loss never falls",
        ("value/loss", "value/explained_variance"),
        ("returns/mean", "value/mean"),
        "reward scale or masks are wrong, or the critic is too small",
        "check the scale of the returns and the masks; give the critic more capacity",
        GLOSSARY,
        also=("value loss never decreases", "critic fails"),
        rules=("VAL002",),
    ),
    Symptom(
        "Critic explains little of the returns",
        ("value/explained_variance", "value/error"),
        ("value/loss", "returns/std", "value/clip_fraction"),
        "a critic that lags behind, sees too little, or is clipped too hard",
        "train the critic longer or faster; check observations, masks and its clip range",
        TABLE,
        also=(
            "explained variance below 0.8",
            "explained variance low",
            "value error does not fall",
        ),
        rules=("VAL003",),
    ),
    Symptom(
        "Predicted values drift or saturate",
        ("value/mean", "value/var"),
        ("returns/mean", "returns/var", "value/clip_fraction"),
        "the critic lives on another scale than the returns",
        "compare the level of values and returns; normalise the returns",
        f"{GLOSSARY}; {TABLE}",
        also=(
            "variance of values not stable",
            "value drift",
            "value saturation",
            "unstable value variance",
            "returns change scale",
        ),
        rules=("VAL004", "REW012"),
    ),
    Symptom(
        "Many value updates are clipped",
        ("value/clip_fraction",),
        ("value/loss", "value/explained_variance"),
        "the critic's clip range is too small for the scale of the returns, or it overfits",
        "widen or drop the value clip; normalise the returns",
        TABLE,
        also=("value clipfrac high", "val/clipfrac too high"),
        rules=("VAL005",),
    ),
    Symptom(
        "Advantages flip sign or spread wildly",
        ("advantage/mean", "advantage/std"),
        ("value/explained_variance", "value/loss", "reward/std"),
        "a critic that lags behind, or rewards without a common scale",
        "normalise advantages per batch; check the critic and the reward scale",
        f"{GLOSSARY}; {TABLE}",
        also=(
            "advantages off centre",
            "advantages skewed",
            "advantage collapse",
            "advantage variance extreme",
        ),
        rules=("ADV001", "ADV002"),
    ),
)
