"""Andrej Karpathy's build-nanoGPT: three names, of which `log.txt` says no more than the data."""

from runvitals.model import Alias, Framework

FRAMEWORK = Framework(
    id="build-nanogpt",
    title="build-nanoGPT",
    version="2024-06",
    kind="llm",
    names=("build-nanogpt", "build_nanogpt"),
    aliases=(
        Alias("train", "lm/loss", note="mean over the micro-batches of a step"),
        Alias("val", "eval/lm/loss", note="mean over 20 batches of the validation shard"),
        Alias("hella", None, note="share of HellaSwag that is right; 0.25 is guessing"),
    ),
)
