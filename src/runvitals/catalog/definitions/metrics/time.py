"""Metrics of where the time goes."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "time/step_s",
        meaning="Wall time of one step",
        unit="s",
        direction="lower",
        category="time",
        title="Time of one step",
        watch_for="Start here, then go down to the parts and improve the slowest.",
        related=("time/generation_s", "time/policy_update_s", "throughput/tokens_per_s"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/elapsed_s",
        meaning="Wall time since start",
        unit="s",
        direction="neutral",
        category="time",
    ),
    Metric(
        "time/generation_s",
        meaning="Wall time of rollout generation",
        unit="s",
        direction="lower",
        category="time",
        title="Generation time",
        watch_for=(
            "Mostly the largest part of a step in language-model RL. It follows the longest "
            "response."
        ),
        related=("time/step_s", "length/response_max", "throughput/generation_tokens_per_s"),
        documents=("Training Metrics Glossary", "TensorBoard Metrics Reference"),
    ),
    Metric(
        "time/reward_s",
        meaning="Wall time of reward computation",
        unit="s",
        direction="lower",
        category="time",
        title="Reward time",
        watch_for="Small with rules, large when a model or a remote judge scores.",
        related=("time/step_s",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/old_logprob_s",
        meaning="Wall time of old-policy log-probability pass",
        unit="s",
        direction="lower",
        category="time",
        title="Old log-probability pass",
        watch_for=(
            "A pass over all samples without training. Skipped when a batch is used for one update "
            "only; a large share of the step is worth a look."
        ),
        related=("time/step_s",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/ref_logprob_s",
        meaning="Wall time of reference log-probability pass",
        unit="s",
        direction="lower",
        category="time",
        title="Reference pass",
        watch_for=(
            "The price of a KL term. Without one, the reference model need not be loaded at all."
        ),
        related=("time/step_s", "policy/kl_coef"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/value_s",
        meaning="Wall time of value prediction",
        unit="s",
        direction="lower",
        category="time",
        title="Value prediction time",
        watch_for=(
            "Comparable with one forward pass. Much longer: batches too small, or the critic is "
            "being moved between devices."
        ),
        related=("time/step_s", "time/value_update_s"),
    ),
    Metric(
        "time/advantage_s",
        meaning="Wall time of advantage computation",
        unit="s",
        direction="lower",
        category="time",
        title="Advantage computation",
        watch_for=(
            "Should be a sliver of the step; when it is not, the computation runs sample by sample "
            "on the CPU."
        ),
        related=("time/step_s",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/policy_update_s",
        meaning="Wall time of the policy update",
        unit="s",
        direction="lower",
        category="time",
        title="Policy update time",
        watch_for=(
            "Grows with tokens and with passes over the batch. If it dominates the step, look at "
            "utilisation of FLOPs and the micro-batch size."
        ),
        related=("time/step_s", "throughput/mfu"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/value_update_s",
        meaning="Wall time of the critic update",
        unit="s",
        direction="lower",
        category="time",
        title="Critic update time",
        watch_for="Only methods with a critic (PPO) have it; GRPO does not.",
        related=("time/policy_update_s",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/weight_sync_s",
        meaning="Wall time of sending weights to the inference engine",
        unit="s",
        direction="lower",
        category="time",
        title="Weight synchronisation time",
        watch_for=(
            "Grows with model size and not with data. A large share of each step: synchronise less "
            "often, or over a faster path."
        ),
        related=("time/step_s", "async/staleness_mean"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/checkpoint_s",
        meaning="Wall time of saving a checkpoint",
        unit="s",
        direction="lower",
        category="time",
        title="Checkpoint time",
        watch_for=(
            "Shows up as regular spikes of the step time. Save less often, or in the background."
        ),
        related=("time/step_s", "system/disk_free_gb"),
    ),
    Metric(
        "time/eval_s",
        meaning="Wall time of evaluation",
        unit="s",
        direction="lower",
        category="time",
        title="Evaluation time",
        watch_for=(
            "Explains regular gaps in throughput. If it takes a good part of the run, evaluate on "
            "fewer samples or more rarely."
        ),
        related=("time/step_s",),
    ),
    Metric(
        "time/data_s",
        meaning="Wall time of waiting for data",
        unit="s",
        direction="lower",
        category="time",
        title="Waiting for data",
        watch_for=(
            "Should be near zero. Otherwise devices stand idle: use more loader workers, "
            "prefetching, or prepared data."
        ),
        related=("system/gpu_utilization_percent", "time/step_s"),
    ),
    Metric(
        "time/tool_calls_s",
        meaning="Wall time spent in tools or environments",
        unit="s",
        direction="lower",
        category="time",
        title="Tool time",
        watch_for=(
            "Time in tools and environments. A long maximum means that one call holds up the batch."
        ),
        related=("agent/tool_calls_mean", "time/slowest_sample_s"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/per_token_ms",
        meaning="Stage time divided by its token count (label stage)",
        unit="ms/token",
        direction="lower",
        category="time",
        title="Time per token",
        watch_for="Stage time divided by tokens, which makes runs with different lengths comparable.",
        related=("time/generation_s", "data/tokens_per_step"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/training_s",
        meaning="Wall time of the training stage (forward, backward, optimiser)",
        unit="s",
        direction="lower",
        category="time",
        title="Training stage time",
        watch_for="Compare with generation: the larger of the two is what is worth improving.",
        related=("time/generation_s", "time/step_s"),
    ),
    Metric(
        "time/forward_s",
        meaning="Wall time of forward passes",
        unit="s",
        direction="lower",
        category="time",
        title="Forward time",
        watch_for=(
            "About half of the backward time without recomputation; a larger share hints at extra "
            "passes."
        ),
        related=("time/backward_s",),
    ),
    Metric(
        "time/backward_s",
        meaning="Wall time of backward passes",
        unit="s",
        direction="lower",
        category="time",
        title="Backward time",
        watch_for=(
            "About twice the forward time, three times with recomputed activations. More than that "
            "is often waiting for communication."
        ),
        related=("time/forward_s",),
    ),
    Metric(
        "time/optimizer_s",
        meaning="Wall time of the optimiser",
        unit="s",
        direction="lower",
        category="time",
        title="Optimiser time",
        watch_for=(
            "Independent of sequence length. Large: states kept in main memory, or many small "
            "kernels."
        ),
        related=("time/training_s",),
    ),
    Metric(
        "time/logprob_s",
        meaning="Wall time of policy and reference log-probability passes together",
        unit="s",
        direction="lower",
        category="time",
        title="Log-probability passes",
        watch_for=(
            "Cheap next to training. If not, use larger micro-batches: nothing has to be kept for "
            "gradients here."
        ),
        related=("time/old_logprob_s", "time/ref_logprob_s"),
    ),
    Metric(
        "time/experience_s",
        meaning="Wall time of turning rollouts into training batches",
        unit="s",
        direction="lower",
        category="time",
        title="Making experience",
        watch_for=(
            "Holds scoring, log-probabilities and advantages. When it grows, look at its parts."
        ),
        related=("time/reward_s", "time/logprob_s"),
    ),
    Metric(
        "time/wait_s",
        meaning="Wall time the trainer waits for rollouts",
        unit="s",
        direction="lower",
        category="time",
        title="Waiting for rollouts",
        watch_for=(
            "The trainer is starved: generation is the bottleneck, often through a few very long "
            "responses."
        ),
        related=("async/trainer_idle_fraction", "time/generation_sample_max_s"),
    ),
    Metric(
        "time/generation_sample_mean_s",
        meaning="Mean generation time of one sample or group",
        unit="s",
        direction="lower",
        category="time",
        title="Mean generation time of a sample",
        watch_for=(
            "Far below the slowest sample: most of the generation stage is waiting for a few long "
            "ones."
        ),
        related=("time/generation_s", "time/generation_sample_max_s"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/generation_sample_max_s",
        meaning="Generation time of the slowest sample or group",
        unit="s",
        direction="lower",
        category="time",
        title="Slowest generation in the batch",
        watch_for=(
            "The slowest sample decides when the step goes on. Several times the mean: cap "
            "lengths, or let stragglers finish in a later step."
        ),
        related=("time/generation_s", "time/generation_sample_mean_s", "length/response_max"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/generation_sample_min_s",
        meaning="Generation time of the fastest sample or group",
        unit="s",
        direction="neutral",
        category="time",
        title="Fastest generation in the batch",
        related=("time/generation_sample_max_s",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "time/score_sample_mean_s",
        meaning="Mean scoring time of one sample",
        unit="s",
        direction="lower",
        category="time",
    ),
    Metric(
        "time/remaining_s",
        meaning="Estimated time to the end of the run",
        unit="s",
        direction="neutral",
        category="time",
        title="Time left",
        watch_for="An extrapolation of the speed so far: it misleads while responses grow longer.",
        related=("time/elapsed_s", "progress/fraction"),
    ),
    Metric(
        "time/data_processing_s",
        meaning="Wall time of data preparation on the driver",
        unit="s",
        direction="lower",
        category="time",
    ),
    Metric(
        "time/setup_s",
        meaning="Wall time of setup",
        unit="s",
        direction="lower",
        category="time",
    ),
    Metric(
        "time/stage_s",
        meaning="Wall time of a stage that has no name of its own (label stage)",
        unit="s",
        direction="lower",
        category="time",
    ),
    Metric(
        "time/env_step_s",
        meaning="Wall time of stepping the environment",
        unit="s",
        direction="lower",
        category="time",
        title="Environment step time",
        watch_for="Grows when the policy reaches harder states, or when workers fight for cores.",
        related=("throughput/env_steps_per_s", "system/cpu_percent"),
    ),
    Metric(
        "time/env_reset_s",
        meaning="Wall time of resetting the environment",
        unit="s",
        direction="lower",
        category="time",
        title="Environment reset time",
        watch_for=(
            "Matters when episodes are short: early in training an agent that fails at once spends "
            "its time on resets."
        ),
        related=("time/env_step_s", "outcome/episode_length_mean"),
    ),
    Metric(
        "time/inference_s",
        meaning="Wall time of policy inference during rollout",
        unit="s",
        direction="lower",
        category="time",
        title="Policy inference time",
        watch_for="Large for a small network: step more environments at once to fill the batch.",
        related=("time/env_step_s", "throughput/env_steps_per_s"),
    ),
    Metric(
        "time/episode_s",
        meaning="Wall time of one episode",
        unit="s",
        direction="neutral",
        category="time",
    ),
    Metric(
        "time/slowest_sample_s",
        meaning="Time of one part of the slowest sample of the batch (label part)",
        unit="s",
        direction="lower",
        category="time",
        title="Slowest sample",
        watch_for="What the whole batch waited for, and where that time went.",
        related=("time/generation_sample_max_s", "time/tool_calls_s"),
        documents=("Training Metrics Glossary",),
    ),
)
