"""Metrics of collecting experience with a separate engine."""

METRICS = """
# The inference engine
rollout/spec_accept_rate (ratio, higher): Accepted draft tokens = Share of draft tokens accepted by
    speculative decoding
  watch for: Falls as the policy moves away from what the draft model knows; below break-even,
    drafting costs more than it saves.
  related: rollout/spec_accept_length, throughput/generation_tokens_per_s
rollout/spec_accept_length (token, higher) = Mean tokens gained per verification step
rollout/prefix_cache_hit_rate (ratio, higher): Prefix cache hits = Share of prompt tokens served
    from the prefix cache
  watch for: Should be high with several answers per prompt or many turns. Low: the cache is too
    small, or requests of one group go to different engines.
  related: rollout/kv_cache_usage, throughput/generation_tokens_per_s
rollout/preemptions_mean (count, lower): Preempted requests = Mean number of preemptions per request
  watch for: The cache is too small for the load and work is done twice. Lower the concurrency or
    give it more memory.
  related: rollout/kv_cache_usage, rollout/running_requests
rollout/running_requests (request, neutral): Requests in progress = Requests being generated at the
    moment
  watch for: A long tail of one or two at the end of each round means that everybody waits for the
    longest answers.
  related: rollout/waiting_requests, time/generation_sample_max_s
rollout/waiting_requests (request, lower): Requests in the queue = Requests waiting for the
    inference engine
  watch for: Always some: the engine is saturated. None, with few running: it is starved.
  related: rollout/running_requests, rollout/kv_cache_usage
rollout/retried_requests (request, lower): Requests sent again = Requests that were sent again after
    an error or a time-out
  watch for: A rise means that the engine fails or is overloaded: steps wait, and slow prompts are
    lost.
  related: rollout/waiting_requests, async/evicted_samples
rollout/kv_cache_usage (ratio, target): Cache usage = Share of the key-value cache in use
  watch for: Pinned at 1 leads to preemptions; far below it the engine could take more requests at
    once.
  related: rollout/preemptions_mean, rollout/running_requests

# Turns and tools of multi-turn rollouts
agent/turns_mean (turn, neutral; glossary): Turns per rollout = Mean number of turns per rollout
  watch for: Follow the distribution, not only the mean.
  related: agent/turns_max, agent/tool_calls_mean
agent/turns_min (turn, neutral; glossary): Fewest turns in a rollout = Fewest turns
  watch for: Stuck at 1 in a multi-turn task: some rollouts give up, or answer without using a tool
    at all.
  related: agent/turns_mean
agent/turns_max (turn, neutral; glossary): Most turns in a rollout = Most turns
  watch for: A sudden jump points at loops, or at tools that fail and are called again and again.
  related: agent/turns_mean, agent/tool_failure_rate
agent/tool_calls_mean (call, neutral): Tool calls per rollout = Mean number of tool calls per
    rollout
  watch for: A slide to zero means that the model has learned to do without its tools; steady growth
    without more reward means calls that help nothing.
  related: agent/turns_mean, agent/tool_failure_rate, reward/score_mean
agent/tool_failure_rate (ratio, lower): Failed tool calls = Share of tool calls that failed
  watch for: Look at the tool before the model: a sandbox that times out teaches the policy to avoid
    it.
  related: agent/invalid_tool_call_rate, agent/tool_runtime_s, agent/turns_max
  healthy: * to 0.2 (kind=limit): more failing calls than a policy learns from [judgement]
agent/turn_limit_rate (ratio, lower): Rollouts stopped at the turn limit = Share of rollouts that
    hit the turn limit
  watch for: These rollouts never reach an answer, so their reward says little. High: raise the
    limit, or look for loops.
  related: agent/turns_max, length/response_clip_ratio
  healthy: * to 0.5 (kind=limit): most rollouts never reach an answer [judgement]
agent/error_rate (ratio, lower): Rollouts that ended in an error = Share of rollouts that ended in
    an error
  watch for: Errors scored as zero reward punish the policy for faults of the infrastructure. Mask
    such rollouts, or retry them.
  related: agent/tool_failure_rate, length/aborted_ratio
  healthy: * to 0.05: more failing rollouts than that point at the infrastructure [prime-rl
    documentation]
  context: agent runs
agent/tool_runtime_s (s, lower): Time of a tool call = Mean run time of a tool call
  watch for: Slow tools leave the generation side idle. Compare with the generation time before
    speeding up the model.
  related: time/tool_calls_s, agent/tool_calls_mean, time/generation_s
agent/env_tokens_mean (token, neutral): Tokens from tools and environment = Mean number of
    environment or tool tokens per rollout
  watch for: These tokens fill the context and must be masked from the loss. Growth means longer
    tool outputs or more turns.
  related: agent/turns_mean, length/total_mean
agent/tokens_per_turn_mean (token, neutral): Generated tokens per turn = Mean generated tokens per
    turn
  watch for: Falling while turns rise: the model splits its work over many short turns. Rising
    towards the limit: single turns get cut.
  related: agent/turns_mean, length/response_mean
agent/invalid_tool_call_rate (ratio, lower): Malformed tool calls = Share of malformed tool calls
  watch for: Should fall quickly early in training. If it does not, the format was never taught: add
    examples, a format reward, or constrained decoding.
  related: agent/tool_failure_rate
  not the same as: agent/tool_failure_rate

# Asynchronous training
async/staleness_mean (version, lower): Staleness of samples = Mean number of weight versions between
    sampling and training
  watch for: How many weight versions old the samples are. Some is the price of asynchrony; growth
    means that generation outruns training.
  related: async/queue_size, mismatch/kl
  healthy: * to 4.0 (kind=limit): older samples are far from the current policy [judgement]
async/staleness_max (version, lower): Oldest sample in the batch = Largest number of weight versions
    between sampling and training
  watch for: One very old sample can carry an extreme importance weight. Bound the age of samples
    rather than only their mean age.
  related: async/staleness_mean, async/dropped_samples, mismatch/is_weight_max
async/staleness_min (version, neutral): Youngest sample in the batch = Smallest number of weight
    versions between sampling and training
  watch for: Above zero, no sample at all comes from the current weights: generation lags behind
    training throughout.
  related: async/staleness_mean, async/same_policy_fraction
async/version_span_mean (version, neutral): Weight versions within one response = Mean number of
    weight versions one response was generated under
  watch for: More than one means that answers were generated across weight updates, so their tokens
    come from several policies.
  related: async/partial_fraction, async/staleness_mean
async/version_span_max (version, lower): Most weight versions within one response = Largest number
    of weight versions one response was generated under
  watch for: Long responses that outlive many updates. Large: shorten the longest answers or
    synchronise weights less often.
  related: async/version_span_mean, length/response_max
async/dropped_samples (sample, lower): Samples dropped as too old = Samples dropped because they
    were too old
  watch for: Generation that was paid for and thrown away. Persistent drops mean that generation is
    too far ahead of training: use less concurrency or a looser bound.
  related: async/staleness_max, async/queue_size
async/queue_size (sample, neutral): Samples waiting to be trained = Samples waiting between
    generation and training
  watch for: Always full: training is the bottleneck and samples grow old. Always empty: generation
    is the bottleneck.
  related: async/staleness_mean, async/trainer_idle_fraction, async/rollout_idle_fraction
async/partial_fraction (ratio, neutral): Responses that span a weight update = Share of responses
    generated across a weight update
  watch for: Normal in asynchronous training. High together with growing mismatch means that
    importance weights have to correct a lot.
  related: async/version_span_mean, mismatch/kl
async/trainer_idle_fraction (ratio, lower): Idle share of the trainer = Share of step time the
    trainer waits for samples
  watch for: High: generation is too slow. Give it more devices, shorten the longest responses, or
    allow more staleness.
  related: async/rollout_idle_fraction, time/wait_s, async/queue_size
async/rollout_idle_fraction (ratio, lower): Idle share of the generation side = Share of time the
    generation side is idle
  watch for: High: the trainer is too slow, or a few long responses hold everybody up.
  related: async/trainer_idle_fraction, time/generation_sample_max_s
async/accepted_fraction (ratio, higher): Accepted share of the rollouts = Share of finished rollouts
    that were accepted
  watch for: Falling means that more and more work is filtered or too old: the cost of a training
    sample rises.
  related: async/dropped_samples, data/filtered_fraction
async/same_policy_fraction (ratio, higher): On-policy share of the batch = Share of the batch that
    was sampled by the policy being trained
  watch for: Near 1 the run is effectively on-policy. The lower it is, the more the result rests on
    importance weights.
  related: async/staleness_mean, mismatch/is_weight_mean
async/evicted_samples (sample, lower): Samples lost to failed rollouts = Samples taken out because
    their rollout failed, was retried too often or was evicted
  watch for: A steady loss costs generation and biases the batch towards what finishes quickly.
  related: async/dropped_samples, async/accepted_fraction

# The gap between rollout engine and trainer
mismatch/outside_fraction (ratio, lower): Ratios outside 1/2 to 2 = Share of tokens whose
    probability differs by more than a factor of 2 between engine and trainer
  watch for: Rounding moves no token that far. Above 1% look for stale weights, another temperature
    or other experts.
  related: mismatch/is_weight_fraction_high, mismatch/logprob_diff_max
  healthy: * to 0.01 (kind=limit): bf16 rounding leaves nearly every token within a few percent
    [veRL's rollout correction (bounds of 0.5 and 2)]
mismatch/nonfinite_fraction (ratio, lower): Log-probabilities that are not finite = Share of tokens
    for which engine or trainer gives an infinite or undefined log-probability
  watch for: Any is a bug: a token was sampled that the other side holds impossible.
  related: mismatch/logprob_diff_max
  healthy: * to 0 (kind=limit): a sampled token has a probability above 0 on both sides [judgement]
mismatch/kept_mass (ratio, higher): Probability mass kept by top-p = Mean probability of the tokens
    that top-p or top-k leave to choose from, under the full distribution
  watch for: Below 1 the engine samples from another distribution than the trainer scores. Rescale
    the log-probabilities, or sample with top-p 1.
  related: mismatch/kl, mismatch/is_weight_mean
mismatch/kl (nat, lower): Engine mismatch = KL between rollout engine and trainer on the same tokens
    (k1)
  watch for: Rollout engine and trainer score the same tokens with the same weights, so this should
    be tiny. Growing means different numerics or stale weights, and biased gradients.
  related: mismatch/k3_kl, mismatch/is_weight_mean, async/staleness_mean
  not the same as: policy/approx_kl, policy/kl_ref
  healthy: * to 0.002: engine and trainer should agree to rounding [NeMo-RL documentation]
  context: noisier than the k3 estimator
mismatch/k3_kl (nat, lower): Engine mismatch, k3 = KL between rollout engine and trainer on the same
    tokens, k3 estimator
  watch for: Less noisy than the plain estimate and never negative. Trust its trend: rising over the
    run means that numerics or weights drift apart.
  related: mismatch/kl, mismatch/prob_diff_mean
  not the same as: policy/kl_ref
  healthy: * to 0.001: engine and trainer should agree to rounding [NeMo-RL documentation]
  context: k3 estimator; mixture-of-experts and 8-bit runs lie higher
mismatch/logprob_diff_mean (nat, lower): Log-probability gap = Mean absolute difference of rollout
    and trainer log-probability
  watch for: Constant and small is ordinary rounding. A jump after a change of engine, precision or
    kernel points straight at that change.
  related: mismatch/kl, mismatch/prob_diff_mean
  healthy: * to 0.03 (kind=limit): engine and trainer should agree to rounding [judgement]
mismatch/logprob_diff_max (nat, lower): Largest log-probability gap = Largest absolute difference of
    log-probability
  watch for: Rare unlikely tokens make it large; only a lasting rise together with the mean is a
    worry.
  related: mismatch/logprob_diff_mean, mismatch/is_weight_max
mismatch/is_weight_mean (ratio, target): Engine importance weight = Mean importance weight
    trainer/rollout
  watch for: About 1. Away from it the samples do not come from the policy being trained.
  related: mismatch/kl, mismatch/effective_sample_size
  not the same as: policy/ratio_mean
  healthy: 0.5 to 2.0: outside, samples no longer represent the policy [veRL rollout-correction
    health check]
mismatch/is_weight_max (ratio, lower): Largest importance weight = Largest importance weight
  watch for: One huge weight lets a single token or sequence dominate the update. Truncate the
    weights, or cut staleness.
  related: mismatch/is_weight_mean, mismatch/effective_sample_size
  not the same as: policy/ratio_max
mismatch/is_weight_min (ratio, target): Smallest importance weight = Smallest importance weight
  watch for: Near zero: some sampled tokens are almost impossible for the trainer, so they are lost
    to learning.
  related: mismatch/is_weight_max, mismatch/is_weight_fraction_low
mismatch/masked_fraction (ratio, lower): Masked as off-policy = Share of tokens or sequences removed
    by off-policy masking
  watch for: Samples that were paid for and ignored. Growing means that the engines drift apart, or
    that samples are too old.
  related: mismatch/kl, async/staleness_mean
  healthy: * to 0.1 (kind=limit): samples that were paid for and ignored [judgement]
mismatch/effective_sample_size (ratio, higher): Effective sample size = Effective sample size of the
    importance weights, 0..1
  watch for: 1 when all samples count the same; near 0 when a few carry the whole update.
  related: mismatch/is_weight_max
  healthy: 0.3 to *: below, less than a third of the batch carries the update [veRL
    rollout-correction health check]
mismatch/kl_reverse (nat, lower): Engine mismatch, reversed = KL with the trainer as the sampling
    side
  watch for: Large while the forward value is small: the trainer puts weight on tokens that the
    engine would rarely sample.
  related: mismatch/kl
mismatch/js_divergence (nat, lower) = Jensen-Shannon type divergence of rollout and trainer
mismatch/logprob_diff_std (nat, lower): Spread of the log-probability gap = Standard deviation of
    the absolute log-probability difference
  watch for: A wide spread with a small mean is noise of the kernels; a growing mean is drift.
  related: mismatch/logprob_diff_mean
mismatch/prob_diff_mean (ratio, lower): Probability gap = Mean absolute difference of token
    probability
  watch for: The most readable of the mismatch numbers: the average error of a token's probability.
    It should be far below one percent and flat.
  related: mismatch/kl, mismatch/prob_diff_max, mismatch/prob_correlation
  healthy: * to 0.01: gaps above one percent come from unsynchronised weights or other numerics
    [veRL FAQ]
  context: dense models; veRL wants 0.005 or less
mismatch/prob_diff_max (ratio, lower): Largest probability gap = Largest absolute difference of
    token probability
  watch for: Near 1: on some token the two engines disagree completely. Look at that token; often it
    is a stop token, or sampling settings that differ.
  related: mismatch/prob_diff_mean
mismatch/prob_diff_std (ratio, lower): Spread of the probability gap = Standard deviation of the
    difference of token probability
  watch for: Grows before the mean does when a few tokens begin to disagree strongly.
  related: mismatch/prob_diff_mean, mismatch/prob_diff_max
mismatch/prob_correlation (ratio, higher): Agreement of probabilities = Pearson correlation of
    rollout and trainer token probabilities
  watch for: Should be all but 1. A visible drop means different weights, a missing weight update,
    or different sampling settings.
  related: mismatch/prob_diff_mean, time/weight_sync_s
mismatch/ppl_train (ratio, neutral): Perplexity under the trainer = Perplexity of the responses
    under the trainer
  watch for: Should lie on top of the rollout engine's perplexity; the gap between the two is the
    mismatch.
  related: mismatch/ppl_rollout, mismatch/ppl_ratio
mismatch/ppl_rollout (ratio, neutral): Perplexity under the engine = Perplexity of the responses
    under the rollout engine
  watch for: Falls as the policy sharpens. Compare with the trainer's, not with other runs.
  related: mismatch/ppl_train, mismatch/ppl_ratio
mismatch/log_ppl_diff_mean (nat, target): Gap of log-perplexity = Mean per-sequence difference of
    log-perplexity trainer minus rollout
  watch for: Around zero. A lasting sign means a systematic bias: one engine finds the responses
    likelier than the other.
  related: mismatch/log_ppl_diff_abs, mismatch/ppl_ratio
mismatch/log_ppl_diff_abs (nat, lower): Absolute gap of log-perplexity = Mean absolute per-sequence
    difference of log-perplexity
  watch for: Unlike the signed mean it cannot cancel out, so it is the better alarm.
  related: mismatch/log_ppl_diff_mean, mismatch/log_ppl_diff_max
mismatch/log_ppl_diff_max (nat, lower): Largest gap of log-perplexity = Largest per-sequence
    difference of log-perplexity
  watch for: The response on which the engines disagree most; worth reading when it jumps.
  related: mismatch/log_ppl_diff_abs
mismatch/log_ppl_diff_min (nat, neutral) = Smallest per-sequence difference of log-perplexity
mismatch/ppl_ratio (ratio, target): Ratio of perplexities = Mean per-sequence ratio of perplexities
    trainer/rollout
  watch for: About 1. Away from it the trainer scores the responses differently from the engine that
    wrote them.
  related: mismatch/ppl_train, mismatch/ppl_rollout, mismatch/is_weight_mean
mismatch/chi2_token (ratio, lower): Token-level weight variance = Token-level chi-squared divergence
    E[w^2]-1
  watch for: How noisy token weights make the gradient; zero when on-policy. A rise means that fewer
    samples really count.
  related: mismatch/effective_sample_size, mismatch/is_weight_std, mismatch/chi2_sequence
  healthy: * to 1.0: above, the variance of the weights exceeds their mean squared [veRL
    rollout-correction health check]
mismatch/chi2_sequence (ratio, lower): Sequence-level weight variance = Sequence-level chi-squared
    divergence
  watch for: Weights of whole sequences multiply over tokens, so this explodes first for long
    responses. Then use token-level weights.
  related: mismatch/chi2_token, length/response_mean
mismatch/is_weight_std (ratio, lower): Spread of importance weights = Standard deviation of the
    importance weight trainer/rollout
  watch for: Zero when on-policy. The wider, the noisier the gradient.
  related: mismatch/is_weight_mean, mismatch/effective_sample_size
  not the same as: policy/ratio_std
  healthy: * to 1.0: wider weights leave few samples that count [veRL rollout-correction health
    check]
mismatch/is_weight_fraction_high (ratio, lower): Weights above the bound = Share of weights above
    the upper bound
  watch for: These are cut or masked, which biases the update. More than a few percent: reduce
    staleness.
  related: mismatch/is_weight_max, mismatch/masked_fraction
  not the same as: policy/clip_fraction_high
mismatch/is_weight_fraction_low (ratio, lower): Weights below the bound = Share of weights below the
    lower bound
  watch for: Tokens that the trainer finds far less likely than the engine did; they no longer teach
    anything.
  related: mismatch/is_weight_min, mismatch/masked_fraction
  not the same as: policy/clip_fraction_low
mismatch/kl_entropy_ratio (ratio, lower): Mismatch against entropy = Mismatch KL divided by entropy
  watch for: Puts the mismatch in proportion: the same gap hurts more once the policy is nearly
    deterministic.
  related: mismatch/kl, policy/entropy
mismatch/mult_prob_error (ratio, lower): Multiplicative probability error = Mean of
    exp(|log-probability difference|), 1 is perfect
  watch for: 1 is exact. Slightly above is rounding; a rise or single spikes mean that engine and
    trainer run different numbers.
  related: mismatch/logprob_diff_mean, mismatch/prob_diff_mean
  healthy: * to 1.05: more than five percent error per token biases the gradient [NeMo-RL
    documentation]
"""
