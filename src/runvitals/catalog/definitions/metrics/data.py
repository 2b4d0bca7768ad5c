"""Metrics of what goes into one step."""

METRICS = """
# What goes into one step, and how evenly
data/tokens_per_step (token, neutral; glossary): Tokens per step = Tokens processed in one step over
    all devices
  watch for: The work of a step. Divide times by it before comparing runs.
  related: time/step_s, throughput/tokens_per_s
data/samples_per_step (sample, neutral; reference): Samples per step = Samples trained in one step
  watch for: Should be constant. A drop means that filtering or failed rollouts shrink the batch,
    and the gradient gets noisier.
  related: data/tokens_per_step
data/filtered_fraction (ratio, lower): Samples dropped before training = Share of samples dropped
    before training
  watch for: Rising means that ever more generation is wasted, usually because prompts have become
    too easy or too hard.
  related: reward/zero_std_fraction, data/generation_batches
balance/seqlen_min (token, neutral; glossary): Load of the lightest rank = Token load of the
    lightest rank
  watch for: Far below the heaviest rank, this rank waits for the others in every step.
  related: balance/seqlen_max, balance/seqlen_diff
balance/seqlen_max (token, neutral; glossary): Load of the heaviest rank = Token load of the
    heaviest rank
  watch for: The heaviest rank sets both pace and peak memory: look here when memory runs out.
  related: balance/seqlen_min, balance/seqlen_diff, length/response_max
balance/seqlen_mean (token, neutral; glossary): Mean load per rank = Mean token load per rank
  watch for: Grows with response length. Memory follows the heaviest rank, speed the gap between
    ranks.
  related: balance/seqlen_diff
balance/seqlen_diff (token, lower; glossary): Load difference between ranks = Heaviest minus
    lightest rank
  watch for: The heaviest rank minus the lightest: the others wait for the slowest. In verl it is
    taken before balancing, so look at the balanced pair as well.
  related: balance/seqlen_balanced_max, balance/seqlen_balanced_min,
    throughput/tokens_per_s_per_device
data/packing_ratio (ratio, neutral) = Packed rows per sample (or samples per row, see the framework)
data/padding_fraction (ratio, lower): Padding in the batch = Share of tokens that are padding
  watch for: Compute spent on nothing. High: pack sequences, sort them by length, or batch by
    tokens.
  related: throughput/mfu, data/packing_ratio
data/groups_filtered (group, lower): Prompt groups dropped = Prompt groups dropped in this step
  watch for: Groups without differences in reward. Rising over the run: the remaining prompts are
    too easy.
  related: reward/zero_std_fraction, reward/group_all_correct_fraction
data/prompts_per_step (prompt, neutral) = Distinct prompts in this step
data/batch_fill_ratio (ratio, higher): How full the batch is = Samples obtained divided by samples
    wanted
  watch for: Below 1 the step trains on fewer samples than planned, so the effective batch size and
    the noise change.
  related: data/filtered_fraction, data/samples_per_step
data/generation_batches (count, lower): Generation rounds per training batch = Generation rounds
    needed to fill one training batch
  watch for: With dynamic sampling this is where the lost time shows. Rising means that fewer and
    fewer prompts still teach anything.
  related: reward/zero_std_fraction, data/groups_filtered, time/generation_s
balance/seqlen_balanced_min (token, neutral; glossary): Lightest rank after balancing = Lightest
    rank after balancing
  watch for: Compare with the load before balancing; a wide gap that is left over means single
    sequences too long to spread.
  related: balance/seqlen_balanced_max
balance/seqlen_balanced_max (token, neutral; glossary): Heaviest rank after balancing = Heaviest
    rank after balancing
  watch for: What one device has to hold after balancing: the number to compare with the memory
    limit.
  related: balance/seqlen_balanced_min, balance/seqlen_max
balance/token_imbalance (ratio, lower): Capacity lost to uneven load = Share of capacity lost to
    uneven token load of workers
  watch for: Fast ranks wait for the slowest. Balance by tokens instead of by samples.
  related: balance/seqlen_diff, throughput/mfu
data/valid_fraction (ratio, higher): Valid share of the batch = Share of the batch that is not
    masked as invalid
  watch for: A fall means masked samples: truncated, aborted or failed. The loss then rests on fewer
    of them.
  related: length/response_clip_ratio, length/aborted_ratio
data/teacher_tokens (token, lower; reference): Teacher tokens = Tokens sent to a teacher or judge
    model behind an API in the window
  watch for: What the teacher costs. Should follow the number of samples; growth beyond it means
    longer answers or retries.
  related: data/samples_per_step

# How long prompts and responses are
length/response_mean (token, neutral; table, glossary): Response length = Mean response (completion)
    length
  watch for: Watch for drift. Growth towards the limit ends in truncation; a collapse while the
    reward rises is reward hacking through a length bias.
  related: length/response_clip_ratio, reward/score_mean, length/response_max
  not the same as: outcome/episode_length_mean
length/response_min (token, neutral): Shortest response = Shortest response
  watch for: At zero or one token: empty answers. Check for an early stop token, and what the reward
    pays for them.
  related: length/aborted_ratio, length/response_mean
length/response_max (token, neutral; glossary): Longest response = Longest response
  watch for: Sets peak memory. At the limit for many steps: truncation.
  related: length/response_clip_ratio, system/gpu_memory_percent
length/response_std (token, neutral; table): Spread of response length = Standard deviation of
    response length
  watch for: Should not explode.
  related: length/response_mean
length/response_clip_ratio (ratio, lower; glossary): Truncated responses = Share of responses cut at
    the maximum length
  watch for: Share of responses cut at the limit. High means that many answers are judged
    unfinished: raise the limit or teach brevity.
  related: length/response_mean, length/stop_rate
  not the same as: policy/clip_fraction
  healthy: * to 0.1 (kind=limit): what is cut off rarely holds its answer [rldoctor (5 to 15%)]
length/response_terminated_mean (token, neutral): Length of finished responses = Mean length of
    responses that ended by themselves
  watch for: Free of the limit, so it shows the true trend. If it stays while the mean grows, only
    truncated answers are growing.
  related: length/response_mean, length/response_clip_ratio
  not the same as: length/response_mean
length/response_terminated_min (token, neutral): Shortest finished response = Shortest response that
    ended by itself
  watch for: Very short finished answers that score well are a shortcut worth reading.
  related: length/response_terminated_mean
length/response_terminated_max (token, neutral): Longest finished response = Longest response that
    ended by itself
  watch for: Close to the limit: answers that finish are about to be cut as well, so raise the limit
    before they are.
  related: length/response_terminated_mean, length/response_clip_ratio
length/prompt_mean (token, neutral; table, glossary): Prompt length = Mean prompt length
  watch for: Drift means that the data changed.
  related: length/prompt_clip_ratio
length/prompt_min (token, neutral): Shortest prompt = Shortest prompt
  watch for: Near zero: empty or badly parsed examples.
  related: length/prompt_mean
length/prompt_max (token, neutral; glossary): Longest prompt = Longest prompt
  watch for: One of the first things to look at when memory runs out.
  related: length/response_max
length/prompt_std (token, neutral): Spread of prompt length = Standard deviation of prompt length
  watch for: A wide spread costs padding and makes memory use jump from batch to batch.
  related: length/prompt_mean, data/padding_fraction
length/prompt_clip_ratio (ratio, lower; glossary): Prompts at the length limit = Share of prompts at
    the maximum prompt length
  watch for: Prompts cut at the limit have lost part of their question: shorten the inputs or raise
    the limit.
  related: length/prompt_mean
  healthy: * to 0.01 (kind=limit): a prompt that was cut has lost its question [judgement]
length/total_mean (token, neutral): Length of prompt plus response = Mean length of prompt plus
    response
  watch for: What memory and time per step follow. Separate the two parts before blaming the
    responses.
  related: length/prompt_mean, length/response_mean
length/aborted_ratio (ratio, lower; glossary): Aborted generations = Share of responses that are
    empty or aborted
  watch for: Failed or empty generations. High means trouble in sampling or in the inference engine;
    the reward then judges nothing.
  related: length/response_clip_ratio, reward/mean
  healthy: * to 0.05 (kind=limit): failed rollouts are scored as bad answers [prime-rl
    documentation]
length/response_median (token, neutral): Median response length = Median response length
  watch for: The usual answer. A mean that leaves the median behind says that a tail of very long
    answers is growing.
  related: length/response_mean, length/response_p90
length/response_p90 (token, neutral): Long responses = 90th percentile of response length
  watch for: The tail that decides how long generation takes; it reaches the limit well before the
    mean moves.
  related: length/response_mean, length/response_clip_ratio, time/generation_sample_max_s
length/response_correct_mean (token, neutral): Length of right answers = Mean length of responses
    judged correct
  watch for: Compare with wrong ones: if only wrong answers grow, extra length is rambling and not
    thought.
  related: length/response_incorrect_mean, length/response_mean
length/response_incorrect_mean (token, neutral): Length of wrong answers = Mean length of responses
    judged wrong
  watch for: Wrong answers much longer than right ones are often truncated or looping.
  related: length/response_correct_mean, length/response_clip_ratio, length/repetition_fraction
length/response_nonaborted_mean (token, neutral): Length without empty responses = Mean length of
    responses that are not empty
  watch for: Differs from the plain mean only when generations fail; a growing difference points at
    the engine.
  related: length/response_mean, length/aborted_ratio
  not the same as: length/response_mean
length/stop_rate (ratio, higher): Responses that ended by themselves = Share of responses that ended
    by a stop token
  watch for: Falling means that answers run into the limit.
  related: length/response_clip_ratio
length/total_min (token, neutral) = Shortest prompt plus response
length/total_max (token, neutral): Longest sequence = Longest prompt plus response
  watch for: Sets peak memory, and is the first suspect for an out-of-memory error.
  related: balance/seqlen_max, system/gpu_memory_percent
length/repetition_fraction (ratio, lower): Repetitive responses = Share of responses detected as
    repetitive
  watch for: Rising is an early sign of a degenerating policy, and it usually comes with longer
    answers and falling entropy.
  related: policy/entropy, length/response_clip_ratio
length/stop_token_count (count, neutral) = Number of stop tokens or ended responses in the batch

# Observations
obs/mean (obs, neutral) = Mean of (normalised) observations
obs/std (obs, neutral) = Standard deviation of observations
obs/norm (obs, neutral) = Mean observation magnitude

# Exploration
explore/epsilon (ratio, neutral): Exploration rate = Probability of a random action in
    epsilon-greedy exploration
  watch for: Falls on a schedule. A policy that has not learnt by the time it reaches its floor
    seldom will.
  related: outcome/return_mean
explore/noise_std (action, neutral) = Standard deviation of exploration noise in action or parameter
    space

# Replay buffers
replay/size (transition, neutral): Replay buffer size = Transitions held in the replay buffer
  watch for: Until it is full, the data is mostly early, random behaviour; metrics often shift when
    old transitions begin to fall out.
  related: replay/ratio
replay/fill_fraction (ratio, neutral): Fill of the buffer = Filled share of a rollout or replay
    buffer
  watch for: A rollout buffer should reach 1 at every update; a replay buffer reaches it once and
    stays.
  related: replay/size
replay/ratio (ratio, neutral): Updates per environment step = Samples trained per environment step
    collected (updates-to-data, replay ratio)
  watch for: More learning from each step, and more overestimation: when it rises watch the Q
    values.
  related: value/q_mean, throughput/updates_per_s
replay/priority_beta (exponent, neutral): Priority correction = Importance exponent of prioritised
    replay
  watch for: Usually annealed to 1 over the run. Stuck low, prioritised samples bias the value
    estimates.
  related: replay/size, value/td_error

# Curricula
curriculum/stage (stage, neutral) = Curriculum lesson or stage index (label parameter)
"""
