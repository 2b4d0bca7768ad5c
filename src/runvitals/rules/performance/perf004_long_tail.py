"""PERF004."""

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import sustained_above
from runvitals.signals.pairs import aligned

MIN_POINTS = 20  # judgement


@rule(
    "PERF004",
    "long-tail",
    severity="notice",
    needs=["time/generation_sample_max_s", "time/generation_sample_mean_s"],
    families=["llm"],
)
def long_tail(patient: Patient, *, times: float = 3.0) -> Iterator[Hit]:
    """A few samples take much longer than the rest, and every step waits for them.

    ## What it looks for
    `time/generation_sample_max_s` above three times `time/generation_sample_mean_s` in 8 of 10
    steps and half of the run. It is always a notice: long tails are normal in agent training and do
    not mean that the result will be wrong.

    ## Why it matters
    A synchronous step lasts as long as its slowest sample. Meanwhile all other devices sit idle.

    ## Usual causes
    1. A few very long responses.
    2. A slow tool.
    3. Requests put back in the queue because the key-value cache is full.

    ## What to try
    Use partial or asynchronous rollouts, put time limits on tools, or give the cache a larger share
    of memory.

    ## When to ignore it
    Asynchronous training, where nothing waits.

    ## Sources
    Training Metrics Glossary (the slowest sample); TensorBoard Metrics Reference (P99 speeds).
    """
    slowest, mean = (
        patient["time/generation_sample_max_s"],
        patient["time/generation_sample_mean_s"],
    )
    _, most, usual = aligned(slowest, mean)
    keep = usual > 0
    ratio = most[keep] / usual[keep]
    if len(ratio) < MIN_POINTS or len(ratio) != len(slowest):
        return
    found = [s for s in sustained_above(ratio, times) if s.beyond >= len(ratio) / 2]
    if not found:
        return
    stretch = max(found, key=lambda one: one.beyond)
    middle = sorted(ratio[stretch.first : stretch.last + 1])[(stretch.last - stretch.first) // 2]
    yield Hit(
        series=slowest.name,
        span=stretch.span(slowest),
        message=f"the slowest sample takes {middle:.1f} times as long as the average one",
        advice="use partial or asynchronous rollouts, and put time limits on tools",
        causes=("a few very long responses", "a slow tool", "the key-value cache is full"),
    )
