"""Metrics of how fast it goes and where the time goes."""

METRICS = """
# Where the time goes
time/step_s (s, lower; glossary): Time of one step = Wall time of one step
  watch for: Start here, then go down to the parts and improve the slowest.
  related: time/generation_s, time/policy_update_s, throughput/tokens_per_s
time/elapsed_s (s, neutral) = Wall time since start
time/generation_s (s, lower; glossary, reference): Generation time = Wall time of rollout generation
  watch for: Mostly the largest part of a step in language-model RL. It follows the longest
    response.
  related: time/step_s, length/response_max, throughput/generation_tokens_per_s
time/reward_s (s, lower; glossary): Reward time = Wall time of reward computation
  watch for: Small with rules, large when a model or a remote judge scores.
  related: time/step_s
time/old_logprob_s (s, lower; glossary): Old log-probability pass = Wall time of old-policy
    log-probability pass
  watch for: A pass over all samples without training. Skipped when a batch is used for one update
    only; a large share of the step is worth a look.
  related: time/step_s
time/ref_logprob_s (s, lower; glossary): Reference pass = Wall time of reference log-probability
    pass
  watch for: The price of a KL term. Without one, the reference model need not be loaded at all.
  related: time/step_s, policy/kl_coef
time/value_s (s, lower): Value prediction time = Wall time of value prediction
  watch for: Comparable with one forward pass. Much longer: batches too small, or the critic is
    being moved between devices.
  related: time/step_s, time/value_update_s
time/advantage_s (s, lower; glossary): Advantage computation = Wall time of advantage computation
  watch for: Should be a sliver of the step; when it is not, the computation runs sample by sample
    on the CPU.
  related: time/step_s
time/policy_update_s (s, lower; glossary): Policy update time = Wall time of the policy update
  watch for: Grows with tokens and with passes over the batch. If it dominates the step, look at
    utilisation of FLOPs and the micro-batch size.
  related: time/step_s, throughput/mfu
time/value_update_s (s, lower; glossary): Critic update time = Wall time of the critic update
  watch for: Only methods with a critic (PPO) have it; GRPO does not.
  related: time/policy_update_s
time/weight_sync_s (s, lower; glossary): Weight synchronisation time = Wall time of sending weights
    to the inference engine
  watch for: Grows with model size and not with data. A large share of each step: synchronise less
    often, or over a faster path.
  related: time/step_s, async/staleness_mean
time/checkpoint_s (s, lower): Checkpoint time = Wall time of saving a checkpoint
  watch for: Shows up as regular spikes of the step time. Save less often, or in the background.
  related: time/step_s, system/disk_free_gb
time/eval_s (s, lower): Evaluation time = Wall time of evaluation
  watch for: Explains regular gaps in throughput. If it takes a good part of the run, evaluate on
    fewer samples or more rarely.
  related: time/step_s
time/data_s (s, lower): Waiting for data = Wall time of waiting for data
  watch for: Should be near zero. Otherwise devices stand idle: use more loader workers,
    prefetching, or prepared data.
  related: system/gpu_utilization_percent, time/step_s
time/tool_calls_s (s, lower; glossary): Tool time = Wall time spent in tools or environments
  watch for: Time in tools and environments. A long maximum means that one call holds up the batch.
  related: agent/tool_calls_mean, time/slowest_sample_s
time/per_token_ms (ms/token, lower; glossary): Time per token = Stage time divided by its token
    count (label stage)
  watch for: Stage time divided by tokens, which makes runs with different lengths comparable.
  related: time/generation_s, data/tokens_per_step
time/training_s (s, lower): Training stage time = Wall time of the training stage (forward,
    backward, optimiser)
  watch for: Compare with generation: the larger of the two is what is worth improving.
  related: time/generation_s, time/step_s
time/forward_s (s, lower): Forward time = Wall time of forward passes
  watch for: About half of the backward time without recomputation; a larger share hints at extra
    passes.
  related: time/backward_s
time/backward_s (s, lower): Backward time = Wall time of backward passes
  watch for: About twice the forward time, three times with recomputed activations. More than that
    is often waiting for communication.
  related: time/forward_s
time/optimizer_s (s, lower): Optimiser time = Wall time of the optimiser
  watch for: Independent of sequence length. Large: states kept in main memory, or many small
    kernels.
  related: time/training_s
time/logprob_s (s, lower): Log-probability passes = Wall time of policy and reference
    log-probability passes together
  watch for: Cheap next to training. If not, use larger micro-batches: nothing has to be kept for
    gradients here.
  related: time/old_logprob_s, time/ref_logprob_s
time/experience_s (s, lower): Making experience = Wall time of turning rollouts into training
    batches
  watch for: Holds scoring, log-probabilities and advantages. When it grows, look at its parts.
  related: time/reward_s, time/logprob_s
time/wait_s (s, lower): Waiting for rollouts = Wall time the trainer waits for rollouts
  watch for: The trainer is starved: generation is the bottleneck, often through a few very long
    responses.
  related: async/trainer_idle_fraction, time/generation_sample_max_s
time/generation_sample_mean_s (s, lower; glossary): Mean generation time of a sample = Mean
    generation time of one sample or group
  watch for: Far below the slowest sample: most of the generation stage is waiting for a few long
    ones.
  related: time/generation_s, time/generation_sample_max_s
time/generation_sample_max_s (s, lower; glossary): Slowest generation in the batch = Generation time
    of the slowest sample or group
  watch for: The slowest sample decides when the step goes on. Several times the mean: cap lengths,
    or let stragglers finish in a later step.
  related: time/generation_s, time/generation_sample_mean_s, length/response_max
time/group_p90_s (s, lower): Time until most groups are complete = Time in which nine of ten groups
    of rollouts were complete
  watch for: Far above the mean time of a sample, groups wait for their longest member.
  related: time/generation_sample_max_s, time/generation_sample_mean_s
time/generation_sample_min_s (s, neutral; glossary): Fastest generation in the batch = Generation
    time of the fastest sample or group
  related: time/generation_sample_max_s
time/score_sample_mean_s (s, lower) = Mean scoring time of one sample
time/remaining_s (s, neutral): Time left = Estimated time to the end of the run
  watch for: An extrapolation of the speed so far: it misleads while responses grow longer.
  related: time/elapsed_s, progress/fraction
time/data_processing_s (s, lower) = Wall time of data preparation on the driver
time/setup_s (s, lower) = Wall time of setup
time/stage_s (s, lower) = Wall time of a stage that has no name of its own (label stage)
time/env_step_s (s, lower): Environment step time = Wall time of stepping the environment
  watch for: Grows when the policy reaches harder states, or when workers fight for cores.
  related: throughput/env_steps_per_s, system/cpu_percent
time/env_reset_s (s, lower): Environment reset time = Wall time of resetting the environment
  watch for: Matters when episodes are short: early in training an agent that fails at once spends
    its time on resets.
  related: time/env_step_s, outcome/episode_length_mean
time/inference_s (s, lower): Policy inference time = Wall time of policy inference during rollout
  watch for: Large for a small network: step more environments at once to fill the batch.
  related: time/env_step_s, throughput/env_steps_per_s
time/episode_s (s, neutral) = Wall time of one episode
time/slowest_sample_s (s, lower; glossary): Slowest sample = Time of one part of the slowest sample
    of the batch (label part)
  watch for: What the whole batch waited for, and where that time went.
  related: time/generation_sample_max_s, time/tool_calls_s

# How fast it goes
throughput/env_steps_per_s (step/s, higher; telemetry): Steps per second = Environment steps per
    second
  watch for: How fast experience is collected. A sudden drop is a regression in simulation,
    inference, communication or logging, contention, or memory pressure. Cumulative averages hide
    late drops; off-policy runs slow down by design when updates begin.
  related: throughput/updates_per_s, time/env_step_s, system/cpu_percent
throughput/updates_per_s (update/s, higher; telemetry): Updates per second = Optimiser updates per
    second
  watch for: How fast the learner optimises. Low: the GPU is underused (batch too small) or data
    arrives too slowly.
  related: throughput/env_steps_per_s, system/gpu_utilization_percent
throughput/samples_per_s (sample/s, higher): Samples per second = Samples per second
  watch for: Falls by itself when samples grow longer; look at tokens per second before suspecting a
    regression.
  related: throughput/tokens_per_s, length/response_mean
throughput/tokens_per_s (token/s, higher; reference): Tokens per second = Tokens per second over all
    devices
  watch for: Watch the training stage for efficiency; a falling 99th percentile points at stalls.
  related: throughput/tokens_per_s_per_device
throughput/tokens_per_s_per_device (token/s, higher; glossary): Tokens per second and device =
    Tokens per second and device
  watch for: The core number of efficiency for language models.
  related: throughput/mfu, time/step_s, balance/seqlen_diff
throughput/generation_tokens_per_s (token/s, higher; reference): Generation speed = Generated tokens
    per second
  watch for: Usually the bottleneck of language-model RL.
  related: time/generation_s, throughput/tokens_per_s
  healthy: 1.0 to * (kind=limit): slower than one token per second means that the wrong backend is
    in use [reference]
  context: local generation; on Apple silicon, turn on MLX
throughput/mfu (ratio, higher; glossary): Model FLOPs utilisation of training = Model FLOPs
    utilisation
  watch for: How much of the device's arithmetic does useful work. Low means waiting: communication,
    data loading, uneven load.
  related: throughput/tokens_per_s_per_device, balance/seqlen_diff, time/data_s
  not the same as: throughput/mfu_inference, system/gpu_utilization_percent
  healthy: 0.5 to 0.6 (kind=usual; kinds=llm): usual for training that runs well [glossary]
  context: large models on data-centre GPUs
  healthy: 0.3 to * (kind=limit; kinds=llm): below this much time goes into waiting [glossary]
  context: large models on data-centre GPUs
throughput/tflops_per_device (TFLOP/s, higher): Achieved compute = Achieved TFLOP/s per device
  watch for: Divide by the peak of the device to get its utilisation; only that is comparable
    between machines.
  related: throughput/mfu
throughput/samples_per_s_per_device (sample/s, higher): Samples per second and device = Samples per
    second and device
  watch for: Should hardly change when devices are added; a fall is the price of communication.
  related: throughput/samples_per_s, throughput/tokens_per_s_per_device
throughput/train_tokens_per_s_per_device (token/s, higher): Training speed per device = Training
    tokens per second and device, training time only
  watch for: Steady here and falling overall: generation or waiting is to blame, not training.
  related: throughput/tokens_per_s_per_device, throughput/generation_tokens_per_s_per_device
throughput/generation_tokens_per_s_per_device (token/s, higher): Generation speed per device =
    Generated tokens per second and device
  watch for: Falls with long tails, when few requests keep the engine busy, and with long contexts.
  related: throughput/generation_tokens_per_s, rollout/running_requests
throughput/logprob_tokens_per_s_per_device (token/s, higher) = Tokens per second and device of the
    log-probability stage
throughput/episodes_per_s (episode/s, higher): Episodes per second = Episodes per second
  watch for: Falls when the agent survives longer, which may be a success; compare with steps per
    second.
  related: throughput/env_steps_per_s, outcome/episode_length_mean
throughput/eval_samples_per_s (sample/s, higher) = Evaluation samples per second
throughput/eval_steps_per_s (batch/s, higher) = Evaluation batches per second
throughput/total_flops (FLOP, neutral) = FLOPs spent since the start
throughput/mfu_inference (ratio, higher; glossary): Model FLOPs utilisation of forward passes =
    Model FLOPs utilisation of forward passes that compute log-probabilities
  watch for: In veRL the forward pass of the actor for old log-probabilities, not decoding: close to
    that of training. Far lower means small batches or uneven lengths.
  related: throughput/mfu, time/old_logprob_s
  not the same as: throughput/mfu, throughput/mfu_generation
throughput/mfu_generation (ratio, higher): Model FLOPs utilisation of generation = Model FLOPs
    utilisation of generation
  watch for: Far lower than in training, since decoding is bound by memory bandwidth.
  related: throughput/mbu, throughput/generation_tokens_per_s
  not the same as: throughput/mfu, throughput/mfu_inference
throughput/mfu_value (ratio, higher) = Model FLOPs utilisation of the critic update
throughput/mbu (ratio, higher): Memory-bandwidth utilisation = Memory-bandwidth utilisation of
    generation
  watch for: Generation is bound by memory and not by arithmetic, so this is its yardstick, where
    low FLOPs utilisation is normal.
  related: throughput/mfu, throughput/generation_tokens_per_s
  not the same as: throughput/mfu
throughput/sim_steps_per_s (step/s, higher): Simulator speed = Environment steps per second counting
    simulation time only
  watch for: Far above the overall rate: the simulator is not the bottleneck; inference or learning
    is.
  related: throughput/env_steps_per_s, throughput/rollout_steps_per_s
  not the same as: throughput/env_steps_per_s
throughput/rollout_steps_per_s (step/s, higher): Collection speed = Environment steps per second
    counting simulation and inference, without learning
  watch for: Compare with the overall rate: the gap is time spent learning.
  related: throughput/env_steps_per_s, throughput/sim_steps_per_s
  not the same as: throughput/env_steps_per_s
throughput/learner_steps_per_s (step/s, higher): Learner speed = Transitions consumed by the learner
    per second
  watch for: Above the collection rate in off-policy training: every transition is used several
    times. Below: data piles up.
  related: throughput/env_steps_per_s, replay/ratio
  not the same as: throughput/env_steps_per_s
throughput/eval_env_steps_per_s (step/s, higher) = Environment steps per second during evaluation
"""
