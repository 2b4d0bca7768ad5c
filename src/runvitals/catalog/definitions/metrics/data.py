"""Metrics of what goes into one step, and how evenly."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "data/tokens_per_step",
        meaning="Tokens processed in one step over all devices",
        unit="token",
        direction="neutral",
        category="data",
        title="Tokens per step",
        watch_for="The work of a step. Divide times by it before comparing runs.",
        related=("time/step_s", "throughput/tokens_per_s"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "data/samples_per_step",
        meaning="Samples trained in one step",
        unit="sample",
        direction="neutral",
        category="data",
        title="Samples per step",
        watch_for=(
            "Should be constant. A drop means that filtering or failed rollouts shrink the batch, "
            "and the gradient gets noisier."
        ),
        related=("data/tokens_per_step",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "data/filtered_fraction",
        meaning="Share of samples dropped before training",
        unit="ratio",
        direction="lower",
        category="data",
        title="Samples dropped before training",
        watch_for=(
            "Rising means that ever more generation is wasted, usually because prompts have become "
            "too easy or too hard."
        ),
        related=("reward/zero_std_fraction", "data/generation_batches"),
    ),
    Metric(
        "balance/seqlen_min",
        meaning="Token load of the lightest rank",
        unit="token",
        direction="neutral",
        category="data",
        title="Load of the lightest rank",
        watch_for="Far below the heaviest rank, this rank waits for the others in every step.",
        related=("balance/seqlen_max", "balance/seqlen_diff"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "balance/seqlen_max",
        meaning="Token load of the heaviest rank",
        unit="token",
        direction="neutral",
        category="data",
        title="Load of the heaviest rank",
        watch_for="The heaviest rank sets both pace and peak memory: look here when memory runs out.",
        related=("balance/seqlen_min", "balance/seqlen_diff", "length/response_max"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "balance/seqlen_mean",
        meaning="Mean token load per rank",
        unit="token",
        direction="neutral",
        category="data",
        title="Mean load per rank",
        watch_for=(
            "Grows with response length. Memory follows the heaviest rank, speed the gap between "
            "ranks."
        ),
        related=("balance/seqlen_diff",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "balance/seqlen_diff",
        meaning="Heaviest minus lightest rank",
        unit="token",
        direction="lower",
        category="data",
        title="Load difference between ranks",
        watch_for=(
            "The heaviest rank minus the lightest: the others wait for the slowest. In verl it "
            "is taken before balancing, so look at the balanced pair as well."
        ),
        related=(
            "balance/seqlen_balanced_max",
            "balance/seqlen_balanced_min",
            "throughput/tokens_per_s_per_device",
        ),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "data/packing_ratio",
        meaning="Packed rows per sample (or samples per row, see the framework)",
        unit="ratio",
        direction="neutral",
        category="data",
    ),
    Metric(
        "data/padding_fraction",
        meaning="Share of tokens that are padding",
        unit="ratio",
        direction="lower",
        category="data",
        title="Padding in the batch",
        watch_for=(
            "Compute spent on nothing. High: pack sequences, sort them by length, or batch by "
            "tokens."
        ),
        related=("throughput/mfu", "data/packing_ratio"),
    ),
    Metric(
        "data/groups_filtered",
        meaning="Prompt groups dropped in this step",
        unit="group",
        direction="lower",
        category="data",
        title="Prompt groups dropped",
        watch_for=(
            "Groups without differences in reward. Rising over the run: the remaining prompts are "
            "too easy."
        ),
        related=("reward/zero_std_fraction", "reward/group_all_correct_fraction"),
    ),
    Metric(
        "data/prompts_per_step",
        meaning="Distinct prompts in this step",
        unit="prompt",
        direction="neutral",
        category="data",
    ),
    Metric(
        "data/batch_fill_ratio",
        meaning="Samples obtained divided by samples wanted",
        unit="ratio",
        direction="higher",
        category="data",
        title="How full the batch is",
        watch_for=(
            "Below 1 the step trains on fewer samples than planned, so the effective batch size "
            "and the noise change."
        ),
        related=("data/filtered_fraction", "data/samples_per_step"),
    ),
    Metric(
        "data/generation_batches",
        meaning="Generation rounds needed to fill one training batch",
        unit="count",
        direction="lower",
        category="data",
        title="Generation rounds per training batch",
        watch_for=(
            "With dynamic sampling this is where the lost time shows. Rising means that fewer and "
            "fewer prompts still teach anything."
        ),
        related=("reward/zero_std_fraction", "data/groups_filtered", "time/generation_s"),
    ),
    Metric(
        "balance/seqlen_balanced_min",
        meaning="Lightest rank after balancing",
        unit="token",
        direction="neutral",
        category="data",
        title="Lightest rank after balancing",
        watch_for=(
            "Compare with the load before balancing; a wide gap that is left over means single "
            "sequences too long to spread."
        ),
        related=("balance/seqlen_balanced_max",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "balance/seqlen_balanced_max",
        meaning="Heaviest rank after balancing",
        unit="token",
        direction="neutral",
        category="data",
        title="Heaviest rank after balancing",
        watch_for=(
            "What one device has to hold after balancing: the number to compare with the memory "
            "limit."
        ),
        related=("balance/seqlen_balanced_min", "balance/seqlen_max"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "balance/token_imbalance",
        meaning="Share of capacity lost to uneven token load of workers",
        unit="ratio",
        direction="lower",
        category="data",
        title="Capacity lost to uneven load",
        watch_for="Fast ranks wait for the slowest. Balance by tokens instead of by samples.",
        related=("balance/seqlen_diff", "throughput/mfu"),
    ),
    Metric(
        "data/valid_fraction",
        meaning="Share of the batch that is not masked as invalid",
        unit="ratio",
        direction="higher",
        category="data",
        title="Valid share of the batch",
        watch_for=(
            "A fall means masked samples: truncated, aborted or failed. The loss then rests on "
            "fewer of them."
        ),
        related=("length/response_clip_ratio", "length/aborted_ratio"),
    ),
    Metric(
        "data/teacher_tokens",
        meaning="Tokens sent to a teacher or judge model behind an API in the window",
        unit="token",
        direction="lower",
        category="data",
        title="Teacher tokens",
        watch_for=(
            "What the teacher costs. Should follow the number of samples; growth beyond it "
            "means longer answers or retries."
        ),
        related=("data/samples_per_step",),
        documents=("TensorBoard Metrics Reference",),
    ),
)
