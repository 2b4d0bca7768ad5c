"""Metrics of how fast it goes."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "throughput/env_steps_per_s",
        meaning="Environment steps per second",
        unit="step/s",
        direction="higher",
        category="throughput",
        title="Steps per second",
        watch_for=(
            "How fast experience is collected. A sudden drop is a regression in simulation, "
            "inference, communication or logging, contention, or memory pressure. Cumulative "
            "averages hide late drops; off-policy runs slow down by design when updates begin."
        ),
        related=("throughput/updates_per_s", "time/env_step_s", "system/cpu_percent"),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "throughput/updates_per_s",
        meaning="Optimiser updates per second",
        unit="update/s",
        direction="higher",
        category="throughput",
        title="Updates per second",
        watch_for=(
            "How fast the learner optimises. Low: the GPU is underused (batch too small) or "
            "data arrives too slowly."
        ),
        related=("throughput/env_steps_per_s", "system/gpu_utilization_percent"),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "throughput/samples_per_s",
        meaning="Samples per second",
        unit="sample/s",
        direction="higher",
        category="throughput",
        title="Samples per second",
        watch_for=(
            "Falls by itself when samples grow longer; look at tokens per second before suspecting "
            "a regression."
        ),
        related=("throughput/tokens_per_s", "length/response_mean"),
    ),
    Metric(
        "throughput/tokens_per_s",
        meaning="Tokens per second over all devices",
        unit="token/s",
        direction="higher",
        category="throughput",
        title="Tokens per second",
        watch_for=(
            "Watch the training stage for efficiency; a falling 99th percentile points at stalls."
        ),
        related=("throughput/tokens_per_s_per_device",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "throughput/tokens_per_s_per_device",
        meaning="Tokens per second and device",
        unit="token/s",
        direction="higher",
        category="throughput",
        title="Tokens per second and device",
        watch_for="The core number of efficiency for language models.",
        related=("throughput/mfu", "time/step_s", "balance/seqlen_diff"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "throughput/generation_tokens_per_s",
        meaning="Generated tokens per second",
        unit="token/s",
        direction="higher",
        category="throughput",
        title="Generation speed",
        healthy=(
            Band(
                1.0,
                None,
                why="slower than one token per second means that the wrong backend is in use",
                source="TensorBoard Metrics Reference",
                context="local generation; on Apple silicon, turn on MLX",
                kind="limit",
            ),
        ),
        watch_for="Usually the bottleneck of language-model RL.",
        related=("time/generation_s", "throughput/tokens_per_s"),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "throughput/mfu",
        meaning="Model FLOPs utilisation",
        unit="ratio",
        direction="higher",
        category="throughput",
        title="Model FLOPs utilisation of training",
        healthy=(
            Band(
                0.5,
                0.6,
                why="usual for training that runs well",
                source="Training Metrics Glossary",
                context="large models on data-centre GPUs",
                kind="usual",
                kinds=("llm",),
            ),
            Band(
                0.3,
                None,
                why="below this much time goes into waiting",
                source="Training Metrics Glossary",
                context="large models on data-centre GPUs",
                kind="limit",
                kinds=("llm",),
            ),
        ),
        watch_for=(
            "How much of the device's arithmetic does useful work. Low means waiting: "
            "communication, data loading, uneven load."
        ),
        related=("throughput/tokens_per_s_per_device", "balance/seqlen_diff", "time/data_s"),
        not_the_same_as=("throughput/mfu_inference", "system/gpu_utilization_percent"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "throughput/tflops_per_device",
        meaning="Achieved TFLOP/s per device",
        unit="TFLOP/s",
        direction="higher",
        category="throughput",
        title="Achieved compute",
        watch_for=(
            "Divide by the peak of the device to get its utilisation; only that is comparable "
            "between machines."
        ),
        related=("throughput/mfu",),
    ),
    Metric(
        "throughput/samples_per_s_per_device",
        meaning="Samples per second and device",
        unit="sample/s",
        direction="higher",
        category="throughput",
        title="Samples per second and device",
        watch_for=(
            "Should hardly change when devices are added; a fall is the price of communication."
        ),
        related=("throughput/samples_per_s", "throughput/tokens_per_s_per_device"),
    ),
    Metric(
        "throughput/train_tokens_per_s_per_device",
        meaning="Training tokens per second and device, training time only",
        unit="token/s",
        direction="higher",
        category="throughput",
        title="Training speed per device",
        watch_for=(
            "Steady here and falling overall: generation or waiting is to blame, not training."
        ),
        related=(
            "throughput/tokens_per_s_per_device",
            "throughput/generation_tokens_per_s_per_device",
        ),
    ),
    Metric(
        "throughput/generation_tokens_per_s_per_device",
        meaning="Generated tokens per second and device",
        unit="token/s",
        direction="higher",
        category="throughput",
        title="Generation speed per device",
        watch_for=(
            "Falls with long tails, when few requests keep the engine busy, and with long contexts."
        ),
        related=("throughput/generation_tokens_per_s", "rollout/running_requests"),
    ),
    Metric(
        "throughput/logprob_tokens_per_s_per_device",
        meaning="Tokens per second and device of the log-probability stage",
        unit="token/s",
        direction="higher",
        category="throughput",
    ),
    Metric(
        "throughput/episodes_per_s",
        meaning="Episodes per second",
        unit="episode/s",
        direction="higher",
        category="throughput",
        title="Episodes per second",
        watch_for=(
            "Falls when the agent survives longer, which may be a success; compare with steps per "
            "second."
        ),
        related=("throughput/env_steps_per_s", "outcome/episode_length_mean"),
    ),
    Metric(
        "throughput/eval_samples_per_s",
        meaning="Evaluation samples per second",
        unit="sample/s",
        direction="higher",
        category="throughput",
    ),
    Metric(
        "throughput/eval_steps_per_s",
        meaning="Evaluation batches per second",
        unit="batch/s",
        direction="higher",
        category="throughput",
    ),
    Metric(
        "throughput/total_flops",
        meaning="FLOPs spent since the start",
        unit="FLOP",
        direction="neutral",
        category="throughput",
    ),
    Metric(
        "throughput/mfu_inference",
        meaning="Model FLOPs utilisation of forward passes that compute log-probabilities",
        unit="ratio",
        direction="higher",
        category="throughput",
        title="Model FLOPs utilisation of forward passes",
        watch_for=(
            "In veRL the forward pass of the actor for old log-probabilities, not decoding: close to "
            "that of training. Far lower means small batches or uneven lengths."
        ),
        related=("throughput/mfu", "time/old_logprob_s"),
        not_the_same_as=("throughput/mfu", "throughput/mfu_generation"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "throughput/mfu_generation",
        meaning="Model FLOPs utilisation of generation",
        unit="ratio",
        direction="higher",
        category="throughput",
        title="Model FLOPs utilisation of generation",
        watch_for="Far lower than in training, since decoding is bound by memory bandwidth.",
        related=("throughput/mbu", "throughput/generation_tokens_per_s"),
        not_the_same_as=("throughput/mfu", "throughput/mfu_inference"),
    ),
    Metric(
        "throughput/mfu_value",
        meaning="Model FLOPs utilisation of the critic update",
        unit="ratio",
        direction="higher",
        category="throughput",
    ),
    Metric(
        "throughput/mbu",
        meaning="Memory-bandwidth utilisation of generation",
        unit="ratio",
        direction="higher",
        category="throughput",
        title="Memory-bandwidth utilisation",
        watch_for=(
            "Generation is bound by memory and not by arithmetic, so this is its yardstick, where "
            "low FLOPs utilisation is normal."
        ),
        related=("throughput/mfu", "throughput/generation_tokens_per_s"),
        not_the_same_as=("throughput/mfu",),
    ),
    Metric(
        "throughput/sim_steps_per_s",
        meaning="Environment steps per second counting simulation time only",
        unit="step/s",
        direction="higher",
        category="throughput",
        title="Simulator speed",
        watch_for=(
            "Far above the overall rate: the simulator is not the bottleneck; inference or "
            "learning is."
        ),
        related=("throughput/env_steps_per_s", "throughput/rollout_steps_per_s"),
        not_the_same_as=("throughput/env_steps_per_s",),
    ),
    Metric(
        "throughput/rollout_steps_per_s",
        meaning="Environment steps per second counting simulation and inference, without learning",
        unit="step/s",
        direction="higher",
        category="throughput",
        title="Collection speed",
        watch_for="Compare with the overall rate: the gap is time spent learning.",
        related=("throughput/env_steps_per_s", "throughput/sim_steps_per_s"),
        not_the_same_as=("throughput/env_steps_per_s",),
    ),
    Metric(
        "throughput/learner_steps_per_s",
        meaning="Transitions consumed by the learner per second",
        unit="step/s",
        direction="higher",
        category="throughput",
        title="Learner speed",
        watch_for=(
            "Above the collection rate in off-policy training: every transition is used several "
            "times. Below: data piles up."
        ),
        related=("throughput/env_steps_per_s", "replay/ratio"),
        not_the_same_as=("throughput/env_steps_per_s",),
    ),
    Metric(
        "throughput/eval_env_steps_per_s",
        meaning="Environment steps per second during evaluation",
        unit="step/s",
        direction="higher",
        category="throughput",
    ),
)
