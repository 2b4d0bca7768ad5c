"""Andrej Karpathy's build-nanoGPT: three names, of which `log.txt` says no more than the data."""

from runvitals.catalog.tools._table import aliases
from runvitals.model import Framework

NAMES = """
lm/loss: train  # mean over the micro-batches of a step
eval/lm/loss: val  # mean over 20 batches of the validation shard
none: hella  # share of HellaSwag that is right; 0.25 is guessing
"""

FRAMEWORK = Framework(
    id="build-nanogpt",
    title="build-nanoGPT",
    version="2024-06",
    kind="llm",
    names=("build-nanogpt", "build_nanogpt"),
    aliases=aliases(NAMES),
)
