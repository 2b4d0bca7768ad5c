from runvitals.rules.kit import Hit, Patient, below, rule


@rule(
    "PERF005",
    severity="notice",
    needs=["throughput/mfu|throughput/generation_tokens_per_s|throughput/tokens_per_s"],
    min_points=12,
)
def efficiency_floor(
    patient: Patient, *, mfu: float | None = None, tokens_per_s: float | None = None
) -> Hit | None:
    """The devices do far less work than they could.

    ## What it looks for
    Either of these, for a fifth of the run and to its end:

    - `throughput/mfu` of a language model below 0.3: a notice. 0 means not measured.
    - Less than one token generated per second: a warning. No model that fits on a machine is that
      slow on it, unless the work runs on the wrong device.

    ## Why it matters
    Well-tuned training reaches 0.5 to 0.6 of what the device can do. Below 0.3, half of that is
    wasted.

    ## Usual causes
    1. Communication between devices.
    2. Data loading.
    3. Micro-batches that are too small.
    4. The wrong backend: a CPU fallback, MLX switched off.

    ## What to try
    Consider a faster backend for generation (MLX, vLLM, SGLang), and check which device is really
    used. Pack sequences and put more tokens into a micro-batch.

    ## When to ignore it
    Small models and test runs.

    ## Sources
    Training Metrics Glossary (MFU); TensorBoard Metrics Reference (below one token per second).
    """
    least = patient.band("throughput/generation_tokens_per_s", "low", option=tokens_per_s)
    speed = patient.find("throughput/generation_tokens_per_s")
    slow = below(speed, least, to_end=True)
    if speed is not None and speed.values.min() > 0 and slow is not None:
        return slow.hit(
            f"generation runs at {slow.level:.2g} tokens per second, below {slow.bound:g}",
            advice="check which device is used, and consider a faster backend (MLX, vLLM)",
            severity="warning",
            causes=("the wrong device or backend", "the model does not fit into memory"),
        )
    use = patient.find("throughput/mfu")
    if use is None or use.values.max() <= 0:
        return None
    low = below(use, patient.band("throughput/mfu", "low", option=mfu), to_end=True)
    return low and low.hit(
        f"model FLOPs utilisation is {low.level:.2f}, below {low.bound:g}",
        advice="pack sequences and put more tokens into a micro-batch",
        causes=("communication", "data loading", "tiny micro-batches"),
    )
