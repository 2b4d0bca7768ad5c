"""Metrics of the policy and the size of its steps."""

METRICS = """
policy/loss (loss, neutral; telemetry, table, glossary, reference): Policy loss = Policy-gradient
    (surrogate) loss without regularisers
  watch for: An objective, not a score: with normalised advantages it hovers around zero and need
    not fall. Explosions mean instability, a dead flat line means no signal.
  related: policy/loss_total, advantage/std, policy/approx_kl
  not the same as: policy/loss_total
policy/loss_total (loss, neutral; glossary, reference): Actor loss with its regularisers = Actor
    loss with entropy and KL terms
  watch for: Should come down overall and settle; small oscillations are fine. Sudden jumps point at
    a learning rate that is too high, a shift in the data, or updates that overshoot and come back.
  related: policy/loss, policy/kl_loss, policy/entropy_loss
  not the same as: policy/loss
policy/entropy (nat, target; telemetry, table, guide, glossary): Policy entropy = Mean entropy of
    the policy per action or token
  watch for: High early, while the policy explores; falling gently as it commits. A fast fall early
    on is collapse: the policy turned deterministic before it knew what is good. Compare with the
    value of the first update, not with zero: entropy of continuous actions may be negative.
  related: policy/entropy_coef, reward/group_std_mean, policy/action_std
  not the same as: policy/entropy_loss, policy/entropy_sequence, lm/entropy
  healthy: 0.5 to * (config_key=entropy_min; tools=vidur-ppo-scheduler): below its floor the policy
    hardly explores any more [guide]
  context: floor set in the run's config; 0.5 in the guide's PPO scheduler
  healthy: 0.1 to * (kind=limit; actions=discrete; times=its start): high early, falling gently: a
    policy that has lost nine tenths of its randomness hardly explores any more [judgement, as rule
    ENT001]
  context: as a multiple of its own start; discrete actions and tokens
policy/entropy_loss (loss, neutral; glossary): Entropy term of the loss = Entropy term as it enters
    the loss
  watch for: Sign and factor differ between tools. Many log plain entropy under this name; look at
    `runvitals explain` for your tool before reading it.
  related: policy/entropy, policy/entropy_coef
  not the same as: policy/entropy
policy/entropy_coef (coefficient, neutral): Weight of the entropy bonus = Weight of the entropy
    bonus
  watch for: With automatic temperature (SAC) it falls to somewhere between 0.001 and 0.1; rising
    without bound means that the entropy target cannot be met.
  related: policy/entropy, policy/entropy_target
policy/approx_kl (nat, target; telemetry, table, guide, glossary): Approximate KL, old policy to new
    = Estimated KL between the sampling (old) policy and the policy being updated
  watch for: How far one update moves the policy. Too high: lower the learning rate, use fewer
    epochs per batch, tighten the clip range. Too low for long: the updates are tiny; raise the
    learning rate, loosen the clip, check the advantages. Spikes often come before a fall of the
    reward.
  related: policy/clip_fraction, policy/kl_old, optim/learning_rate, policy/ratio_mean
  not the same as: policy/kl_ref, policy/kl_ref_sequence, mismatch/kl
  healthy: * to 0.05 (kinds=policy-gradient): the fast estimator stays between 0.01 and 0.05 in
    sound PPO updates [table]
  context: clipped updates; squared or k3 estimators
  healthy: * to 0.15 (kinds=policy-gradient; actions=continuous): tuned policies over real-valued
    actions move further in one update [three times the RL Metrics table (judgement)]
  context: clipped updates of continuous actions
  healthy: * to 0.02 (config_key=target_kl; tools=vidur-ppo-scheduler; kinds=policy-gradient): the
    run's own limit for one update [guide]
  context: target_kl of the run; 0.02 in the guide
  healthy: 0.0001 to 0.035 (algorithms=PPO; kind=usual; kinds=control): range of approx_kl in
    healthy PPO runs on CartPole, MountainCar and Pendulum [healthy Stable-Baselines3 runs recorded
    for runvitals]
  context: classic control with PPO, k3 estimator
policy/kl_ref (nat, target; table, glossary): KL to the reference, per token = Estimated KL between
    the policy and the frozen reference model
  watch for: How far the policy has moved from where it started. A slow rise is learning; a steep
    one is over-optimisation of the reward; near zero for long means that little has been learnt.
    Spikes often come before a collapse.
  related: policy/kl_coef, policy/kl_ref_sequence, reward/score_mean
  not the same as: policy/approx_kl, policy/kl_ref_sequence, mismatch/kl
  healthy: 0.01 to 0.1 (algorithms=PPO; kinds=llm; scale=-0.1 to 0.2): small and positive: the
    policy has moved, and is still close [table]
  context: per token, PPO; group-based methods go further without harm
policy/kl_loss (loss, neutral; glossary, reference): KL term of the loss = KL-to-reference term as
    it enters the loss
  watch for: Present only when the KL penalty is part of the loss. It should stay small beside the
    policy loss.
  related: policy/kl_ref, policy/kl_coef
  not the same as: policy/kl_ref
policy/kl_coef (coefficient, neutral; table, glossary): Weight of the KL penalty = Weight of the KL
    penalty
  watch for: An adaptive controller raises it when the KL is above target. A steady climb means that
    the policy pushes away faster than the penalty holds it.
  related: policy/kl_ref, reward/kl_penalty_mean
policy/clip_fraction (ratio, target; telemetry, table, guide, glossary): Clip fraction = Share of
    actions or tokens whose ratio was clipped
  watch for: How many samples hit the clip. High for long: the learning rate is too high, batches
    are too small or noisy, or the clip range is too tight. Near zero with slow learning: the
    updates could be larger. Exactly zero with one update per batch is normal.
  related: policy/approx_kl, policy/clip_range, policy/ratio_mean, optim/learning_rate
  not the same as: value/clip_fraction, length/response_clip_ratio
  healthy: 0.1 to 0.3 (tools=vidur-ppo-scheduler; names=clipfrac): some clipping shows that updates
    use the room they have; above 0.3 many are cut [guide]
  context: the guide's PPO scheduler; PPO with several epochs per batch
  healthy: * to 0.2 (kinds=llm-rl): few samples should need the limit [table]
  context: PPO and similar algorithms for language models
  healthy: * to 0.3 (kinds=policy-gradient): above 0.3 many updates are cut [guide]
  context: clipped updates
  healthy: 0.0 to 0.25 (algorithms=PPO; kind=usual; kinds=control): range of the clip fraction in
    healthy PPO runs on CartPole, MountainCar and Pendulum [healthy Stable-Baselines3 runs recorded
    for runvitals]
  context: classic control with PPO, advantage sign ignored
policy/clip_fraction_low (ratio, target): Clipped at the lower bound = Share clipped at the lower
    bound
  watch for: Tokens whose probability falls as fast as allowed. Well above the upper share: the
    update mostly suppresses.
  related: policy/clip_fraction_high, policy/clip_fraction
policy/clip_fraction_high (ratio, target): Clipped at the upper bound = Share clipped at the upper
    bound
  watch for: Tokens whose probability rises as fast as allowed. High with falling entropy: a wider
    upper bound keeps exploration alive.
  related: policy/clip_fraction_low, policy/entropy
policy/clip_fraction_dual (ratio, lower): Dual-clipped share = Share limited by the dual-clip bound
    (negative advantage, huge ratio)
  watch for: Should be all but zero. Otherwise ratios of bad actions explode: samples are too old,
    or the step is too large.
  related: policy/ratio_max, policy/clip_fraction
policy/clip_range (ratio, neutral; telemetry): Clip range = Clip range in force
  watch for: A setting. Note it with every run: clip fraction and KL cannot be read without it.
  related: policy/clip_fraction
policy/ratio_mean (ratio, target; table): Importance ratio, mean = Mean importance ratio new/old
    policy
  watch for: New over old probability of the sampled actions. About 1 by construction; its drift and
    its outliers show how far an update went.
  related: policy/ratio_max, policy/clip_fraction, policy/approx_kl
  not the same as: mismatch/is_weight_mean
  healthy: 0.8 to 1.2: about 1; a fifth to either side is where the usual clip range cuts [table]
  context: mean over the batch
  healthy: * to 10.0 (kind=limit; tools=trl): TRL's PPO skips a batch above this mean ratio [TRL
    PPOConfig defaults (0.11)]
  context: ratio_threshold
  healthy: * to 200.0 (kind=limit): beyond this the update is certainly unstable [table]
  context: single ratios or their mean
policy/ratio_std (ratio, lower): Spread of the importance ratio = Standard deviation of the
    importance ratio
  watch for: Near zero in the first pass over a batch; grows with every further epoch and with
    staleness.
  related: policy/ratio_mean, policy/clip_fraction
policy/ratio_min (ratio, target): Smallest importance ratio = Smallest importance ratio
  watch for: Near zero: some sampled actions have become almost impossible within one update.
  related: policy/ratio_max, policy/clip_fraction_low
policy/ratio_max (ratio, lower; table): Importance ratio, largest = Largest importance ratio
  watch for: One huge ratio can rule a batch. Above 200 the update is unstable.
  related: policy/ratio_mean
  healthy: * to 200.0 (kind=limit): beyond this the update is certainly unstable [table]
policy/logprob_mean (nat, neutral; table): Log-probability of the samples = Mean log-probability of
    the sampled actions or tokens under the policy
  watch for: Look for shifts against the reference: a steep rise means that the policy grows
    certain, often too certain.
  related: policy/logprob_ref_mean, policy/entropy
policy/logprob_ref_mean (nat, neutral; table): Log-probability under the reference = Mean
    log-probability under the reference model
  watch for: A fall while the policy's own log-probability stays means that the policy writes what
    the reference would not.
  related: policy/logprob_mean, policy/kl_ref
policy/grad_norm (norm, target; telemetry, guide, glossary): Gradient norm of the policy = Global
    gradient norm of the policy before clipping
  watch for: How hard the parameters want to move. Single spikes happen; ten times the usual value,
    or a climb without end, is explosion, a bad batch or bad numerics. Exactly zero means that
    nothing is being learnt.
  related: policy/learning_rate, policy/loss_total
  not the same as: value/grad_norm
  healthy: * to 1.0 (config_key=max_grad_norm; tools=vidur-ppo-scheduler; kinds=rl): the clip limit
    of the run: above it every step is cut to the same length [guide]
  context: max_grad_norm of the run; 1.0 is common for language models, 0.5 for classic control
  healthy: * to 10.0 (kind=limit; times=its median): ten times its usual size points at exploding
    gradients, a bad batch or numerical trouble [glossary]
  context: as a multiple of the run's own median
policy/learning_rate (rate, neutral; glossary): Learning rate of the policy = Learning rate of the
    policy optimiser
  watch for: No measure of quality, but it explains others: when loss, KL and gradient norm spike
    together, look first whether the schedule changed there.
  related: policy/approx_kl, policy/grad_norm
policy/action_std (action, target): Spread of the action noise = Mean standard deviation of a
    Gaussian policy
  watch for: Shrinks as the policy gets sure. Rising without end means that the entropy bonus
    outweighs the reward.
  related: policy/entropy
policy/entropy_sequence (nat/sequence, neutral; table): Entropy per response = Entropy estimate
    summed over the response: mean over sequences of -sum log p
  watch for: High early, then falling gradually. A sum over the response, so it moves with length.
    In TRL's PPO, padding takes one nat off per position: it can fall below zero while the true
    entropy is fine.
  related: policy/entropy, length/response_mean
  not the same as: policy/entropy
policy/entropy_min (nat, neutral) = Smallest per-token entropy
policy/entropy_max (nat, neutral) = Largest per-token entropy
policy/entropy_threshold (nat, neutral) = Entropy cut above which tokens are trained
policy/kl_ref_sequence (nat/sequence, target; table, glossary): KL to the reference, per response =
    KL to the reference summed over the response, mean over sequences
  watch for: A sum over the response: divide by the response length before comparing with per-token
    numbers. Up means over-optimisation, down towards zero means under-training.
  related: policy/kl_ref, policy/kl_coef, length/response_mean
  not the same as: policy/kl_ref, policy/approx_kl
  healthy: 0.01 to 0.1 (scale=-0.1 to 0.2): small and positive [table]
  context: the table's number for objective/kl; it fits a per-token KL, while TRL sums over the
    response. It holds for runs that begin on its scale
  healthy: * to 6.0 (config_key=target_kl_ref; kind=limit; tools=trl): the adaptive controller of
    TRL's PPO aims at 6 nats per response by default [TRL PPOConfig defaults (0.11)]
  context: sum over the response, TRL
policy/kl_ref_max (nat, lower): Largest KL of a token = Largest per-token KL to the reference
  watch for: A few tokens can carry most of the KL: often format or stop tokens. Look which before
    raising the penalty.
  related: policy/kl_ref
policy/kl_old (nat, target; glossary): First-order KL, old policy to new = First-order estimate
    mean(log p_old - log p_new); sign carries no meaning for small steps
  watch for: A mean of log-ratios: for small steps it is mostly noise around zero, and a negative
    value says nothing. Judge it only when it is far from zero for many updates, or use a squared or
    k3 estimator. Exactly zero on the first pass over a batch is normal.
  related: policy/approx_kl, policy/clip_fraction
  not the same as: policy/kl_ref, mismatch/kl
  healthy: * to 0.05: as for the other estimators, once the noise is averaged out [table]
  context: absolute value of a running mean
policy/clip_fraction_low_min (ratio, neutral) = Smallest per-sequence lower clip fraction
policy/clip_fraction_high_max (ratio, lower) = Largest per-sequence upper clip fraction
policy/ratio_clamped_mean (ratio, target) = Mean importance ratio after clipping
policy/ratio_var (ratio^2, lower) = Variance of the importance ratio
policy/loss_positive_nll (loss, neutral) = Extra likelihood term on correct samples
policy/nll_mean (nat, neutral): Negative log-probability of samples = Mean negative log-probability
    of sampled tokens (sample estimate of entropy)
  watch for: Estimates the entropy from samples alone: the same trend, more noise.
  related: policy/entropy, policy/logprob_mean
  not the same as: policy/entropy
policy/entropy_coef_loss (loss, neutral): Loss of the entropy temperature = Loss of the learned
    entropy temperature (SAC alpha loss)
  watch for: Changes sign by design: it only says whether entropy lies above or below the target.
    Look at the temperature itself.
  related: policy/entropy_coef, policy/entropy, policy/entropy_target
policy/entropy_target (nat, neutral) = Target entropy of SAC-style temperature control
policy/kl_max (nat, lower): Largest KL of a sample = Largest per-sample KL between old and new
    policy
  watch for: Spikes before the mean does when a few states are updated too hard.
  related: policy/approx_kl, policy/ratio_max
  not the same as: policy/kl_ref_max
policy/ratio_abs_dev (ratio, lower): Distance of the ratio from 1 = Mean of |ratio - 1|
  watch for: Zero when on-policy. Compare with the clip range: near it, most of the batch is about
    to be clipped.
  related: policy/ratio_mean, policy/clip_fraction
policy/logit_abs_max (logit, lower) = Largest absolute policy logit or log-probability
policy/early_stop_iter (iteration, neutral): Iteration of the early stop = Optimisation iteration at
    which the KL limit stopped the update
  watch for: Stopping after one or two passes in every update: the step is too large for the KL
    limit, so lower the learning rate.
  related: policy/approx_kl, optim/learning_rate
policy/line_search_success (ratio, higher): Successful line searches = Share of trust-region line
    searches that found an acceptable step
  watch for: Low: the trust-region step finds no improvement and updates are thrown away. Check the
    advantages and the KL limit.
  related: policy/backtrack_iters, policy/approx_kl
policy/backtrack_iters (step, lower) = Backtracking steps of the trust-region line search
policy/step_size (size, neutral) = Step size of the parameter update chosen by the algorithm (TRPO,
    ARS)
policy/loss_delta (loss, lower) = Policy loss after minus before the update
policy/temperature (temperature, neutral; guide): Sampling temperature = Softmax temperature used
    for sampling actions
  watch for: Sets how random the sampled actions are. Short pulses above the band are meant to shake
    a stagnant policy loose; check that they fall on stagnation.
  related: policy/entropy, control/pressure, control/pulse_active, policy/temperature_base
  not the same as: policy/entropy_coef
  healthy: 0.5 to 2.0 (config_key=min_temperature max_temperature; tools=vidur-ppo-scheduler;
    names=current_temperature, temp_current_temperature; unless=control/pulse_active): below, the
    policy is all but greedy; above, it is noise [guide]
  context: outside of pulses; the run's own bounds go first
policy/action_mean (action, neutral): Mean action = Mean action or mean of the action distribution
  watch for: Drifting to the bounds: saturated actions, whose gradients vanish.
  related: policy/action_min, policy/action_max, policy/action_std
policy/action_min (action, neutral) = Smallest action taken
policy/action_max (action, neutral) = Largest action taken
policy/action_norm (action, neutral) = Mean action magnitude
policy/action_std_min (action, target): Smallest action spread = Smallest standard deviation of a
    Gaussian policy
  watch for: Near zero: at least one action dimension no longer explores.
  related: policy/action_std, policy/entropy
policy/action_std_max (action, target): Largest action spread = Largest standard deviation of a
    Gaussian policy
  watch for: Growing without end: the entropy bonus outweighs the reward in that dimension.
  related: policy/action_std, policy/entropy_coef
policy/action_share (count, neutral; guide): Share of one action = Share or count of one discrete
    action (label action)
  watch for: Should settle near uniform when the actions are equivalent (servers, replicas) unless
    the workload says otherwise. One action eating the others early means that a warm start failed
    or the policy collapsed.
  related: policy/entropy
policy/temperature_base (temperature, neutral; guide): Base temperature = Sampling temperature
    before a controller corrects it
  watch for: Compare with the current temperature to see what the controller adds or takes away.
  related: policy/temperature
"""
