"""Metrics of how long prompts and responses are."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "length/response_mean",
        meaning="Mean response (completion) length",
        unit="token",
        direction="neutral",
        category="length",
        title="Response length",
        watch_for=(
            "Watch for drift. Growth towards the limit ends in truncation; a collapse while the "
            "reward rises is reward hacking through a length bias."
        ),
        related=("length/response_clip_ratio", "reward/score_mean", "length/response_max"),
        not_the_same_as=("outcome/episode_length_mean",),
        documents=("RL Metrics table", "Training Metrics Glossary"),
    ),
    Metric(
        "length/response_min",
        meaning="Shortest response",
        unit="token",
        direction="neutral",
        category="length",
        title="Shortest response",
        watch_for=(
            "At zero or one token: empty answers. Check for an early stop token, and what the "
            "reward pays for them."
        ),
        related=("length/aborted_ratio", "length/response_mean"),
    ),
    Metric(
        "length/response_max",
        meaning="Longest response",
        unit="token",
        direction="neutral",
        category="length",
        title="Longest response",
        watch_for="Sets peak memory. At the limit for many steps: truncation.",
        related=("length/response_clip_ratio", "system/gpu_memory_percent"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "length/response_std",
        meaning="Standard deviation of response length",
        unit="token",
        direction="neutral",
        category="length",
        title="Spread of response length",
        watch_for="Should not explode.",
        related=("length/response_mean",),
        documents=("RL Metrics table",),
    ),
    Metric(
        "length/response_clip_ratio",
        meaning="Share of responses cut at the maximum length",
        unit="ratio",
        direction="lower",
        category="length",
        title="Truncated responses",
        healthy=(
            Band(
                None,
                0.1,
                why="what is cut off rarely holds its answer",
                source="rldoctor (5 to 15%)",
                kind="limit",
            ),
        ),
        watch_for=(
            "Share of responses cut at the limit. High means that many answers are judged "
            "unfinished: raise the limit or teach brevity."
        ),
        related=("length/response_mean", "length/stop_rate"),
        not_the_same_as=("policy/clip_fraction",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "length/response_terminated_mean",
        meaning="Mean length of responses that ended by themselves",
        unit="token",
        direction="neutral",
        category="length",
        title="Length of finished responses",
        watch_for=(
            "Free of the limit, so it shows the true trend. If it stays while the mean grows, only "
            "truncated answers are growing."
        ),
        related=("length/response_mean", "length/response_clip_ratio"),
        not_the_same_as=("length/response_mean",),
    ),
    Metric(
        "length/response_terminated_min",
        meaning="Shortest response that ended by itself",
        unit="token",
        direction="neutral",
        category="length",
        title="Shortest finished response",
        watch_for="Very short finished answers that score well are a shortcut worth reading.",
        related=("length/response_terminated_mean",),
    ),
    Metric(
        "length/response_terminated_max",
        meaning="Longest response that ended by itself",
        unit="token",
        direction="neutral",
        category="length",
        title="Longest finished response",
        watch_for=(
            "Close to the limit: answers that finish are about to be cut as well, so raise the "
            "limit before they are."
        ),
        related=("length/response_terminated_mean", "length/response_clip_ratio"),
    ),
    Metric(
        "length/prompt_mean",
        meaning="Mean prompt length",
        unit="token",
        direction="neutral",
        category="length",
        title="Prompt length",
        watch_for="Drift means that the data changed.",
        related=("length/prompt_clip_ratio",),
        documents=("RL Metrics table", "Training Metrics Glossary"),
    ),
    Metric(
        "length/prompt_min",
        meaning="Shortest prompt",
        unit="token",
        direction="neutral",
        category="length",
        title="Shortest prompt",
        watch_for="Near zero: empty or badly parsed examples.",
        related=("length/prompt_mean",),
    ),
    Metric(
        "length/prompt_max",
        meaning="Longest prompt",
        unit="token",
        direction="neutral",
        category="length",
        title="Longest prompt",
        watch_for="One of the first things to look at when memory runs out.",
        related=("length/response_max",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "length/prompt_std",
        meaning="Standard deviation of prompt length",
        unit="token",
        direction="neutral",
        category="length",
        title="Spread of prompt length",
        watch_for="A wide spread costs padding and makes memory use jump from batch to batch.",
        related=("length/prompt_mean", "data/padding_fraction"),
    ),
    Metric(
        "length/prompt_clip_ratio",
        meaning="Share of prompts at the maximum prompt length",
        unit="ratio",
        direction="lower",
        category="length",
        title="Prompts at the length limit",
        healthy=(
            Band(
                None,
                0.01,
                why="a prompt that was cut has lost its question",
                source="judgement",
                kind="limit",
            ),
        ),
        watch_for=(
            "Prompts cut at the limit have lost part of their question: shorten the inputs or "
            "raise the limit."
        ),
        related=("length/prompt_mean",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "length/total_mean",
        meaning="Mean length of prompt plus response",
        unit="token",
        direction="neutral",
        category="length",
        title="Length of prompt plus response",
        watch_for=(
            "What memory and time per step follow. Separate the two parts before blaming the "
            "responses."
        ),
        related=("length/prompt_mean", "length/response_mean"),
    ),
    Metric(
        "length/aborted_ratio",
        meaning="Share of responses that are empty or aborted",
        unit="ratio",
        direction="lower",
        category="length",
        title="Aborted generations",
        healthy=(
            Band(
                None,
                0.05,
                why="failed rollouts are scored as bad answers",
                source="prime-rl documentation",
                kind="limit",
            ),
        ),
        watch_for=(
            "Failed or empty generations. High means trouble in sampling or in the inference "
            "engine; the reward then judges nothing."
        ),
        related=("length/response_clip_ratio", "reward/mean"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "length/response_median",
        meaning="Median response length",
        unit="token",
        direction="neutral",
        category="length",
        title="Median response length",
        watch_for=(
            "The usual answer. A mean that leaves the median behind says that a tail of very long "
            "answers is growing."
        ),
        related=("length/response_mean", "length/response_p90"),
    ),
    Metric(
        "length/response_p90",
        meaning="90th percentile of response length",
        unit="token",
        direction="neutral",
        category="length",
        title="Long responses",
        watch_for=(
            "The tail that decides how long generation takes; it reaches the limit well before the "
            "mean moves."
        ),
        related=(
            "length/response_mean",
            "length/response_clip_ratio",
            "time/generation_sample_max_s",
        ),
    ),
    Metric(
        "length/response_correct_mean",
        meaning="Mean length of responses judged correct",
        unit="token",
        direction="neutral",
        category="length",
        title="Length of right answers",
        watch_for=(
            "Compare with wrong ones: if only wrong answers grow, extra length is rambling and not "
            "thought."
        ),
        related=("length/response_incorrect_mean", "length/response_mean"),
    ),
    Metric(
        "length/response_incorrect_mean",
        meaning="Mean length of responses judged wrong",
        unit="token",
        direction="neutral",
        category="length",
        title="Length of wrong answers",
        watch_for="Wrong answers much longer than right ones are often truncated or looping.",
        related=(
            "length/response_correct_mean",
            "length/response_clip_ratio",
            "length/repetition_fraction",
        ),
    ),
    Metric(
        "length/response_nonaborted_mean",
        meaning="Mean length of responses that are not empty",
        unit="token",
        direction="neutral",
        category="length",
        title="Length without empty responses",
        watch_for=(
            "Differs from the plain mean only when generations fail; a growing difference points "
            "at the engine."
        ),
        related=("length/response_mean", "length/aborted_ratio"),
        not_the_same_as=("length/response_mean",),
    ),
    Metric(
        "length/stop_rate",
        meaning="Share of responses that ended by a stop token",
        unit="ratio",
        direction="higher",
        category="length",
        title="Responses that ended by themselves",
        watch_for="Falling means that answers run into the limit.",
        related=("length/response_clip_ratio",),
    ),
    Metric(
        "length/total_min",
        meaning="Shortest prompt plus response",
        unit="token",
        direction="neutral",
        category="length",
    ),
    Metric(
        "length/total_max",
        meaning="Longest prompt plus response",
        unit="token",
        direction="neutral",
        category="length",
        title="Longest sequence",
        watch_for="Sets peak memory, and is the first suspect for an out-of-memory error.",
        related=("balance/seqlen_max", "system/gpu_memory_percent"),
    ),
    Metric(
        "length/repetition_fraction",
        meaning="Share of responses detected as repetitive",
        unit="ratio",
        direction="lower",
        category="length",
        title="Repetitive responses",
        watch_for=(
            "Rising is an early sign of a degenerating policy, and it usually comes with longer "
            "answers and falling entropy."
        ),
        related=("policy/entropy", "length/response_clip_ratio"),
    ),
    Metric(
        "length/stop_token_count",
        meaning="Number of stop tokens or ended responses in the batch",
        unit="count",
        direction="neutral",
        category="length",
    ),
)
