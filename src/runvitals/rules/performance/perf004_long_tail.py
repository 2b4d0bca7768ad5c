from runvitals.rules.kit import Hit, Patient, above, rule
from runvitals.signals.pairs import ratio


@rule(
    "PERF004",
    severity="notice",
    needs=["time/generation_sample_max_s", "time/generation_sample_mean_s"],
    families=["llm"],
    min_points=20,
)
def long_tail(patient: Patient, *, times: float = 3.0) -> Hit | None:
    """A few samples take much longer than the rest, and every step waits for them.

    ## What it looks for
    `time/generation_sample_max_s` above three times `time/generation_sample_mean_s` for half of the
    run. It is always a notice: long tails are normal in agent training and do
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
    slowest = patient["time/generation_sample_max_s"]
    mean = patient["time/generation_sample_mean_s"]
    found = above(ratio(slowest, mean), times, for_share=0.5)
    return found and found.hit(
        f"the slowest sample takes {found.level:.1f} times as long as the average one",
        advice="use partial or asynchronous rollouts, and put time limits on tools",
        causes=("a few very long responses", "a slow tool", "the key-value cache is full"),
    )
