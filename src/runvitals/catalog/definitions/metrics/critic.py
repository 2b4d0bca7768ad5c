"""Metrics of the critic, and of the advantages and returns it is trained on."""

METRICS = """
# The critic
value/loss (loss, lower; telemetry, table, glossary): Value loss = Critic regression loss
  watch for: Should fall and then stay, without NaNs or big spikes. Huge or growing: the critic
    fails, for want of information in the observations, because of the learning rate, or because
    returns are computed wrongly. It grows with the square of the reward scale, so compare it with
    the variance of the returns, not with other runs.
  related: value/explained_variance, returns/std, value/grad_norm
  not the same as: value/td_error
value/mean (reward, neutral; table, glossary): Mean predicted value = Mean predicted value
  watch for: Follow it beside the mean return: drift or saturation means that the critic and the
    world disagree.
  related: returns/mean, value/explained_variance
value/std (reward, neutral): Spread of predicted values = Standard deviation of predicted values
  watch for: Much smaller than the spread of returns: the critic predicts little more than a
    constant.
  related: returns/std, value/explained_variance
value/min (reward, neutral): Lowest predicted value = Smallest predicted value
  watch for: Below any possible return: the critic extrapolates.
  related: value/max, returns/min
value/max (reward, neutral): Highest predicted value = Largest predicted value
  watch for: Above any possible return: overestimation, or value targets that are scaled wrongly.
  related: value/min, returns/max
value/error (reward^2, lower; table): Value error = Mean squared difference of value prediction and
    return
  watch for: Mean squared error against the returns; should come down smoothly.
  related: value/loss, value/explained_variance
value/clip_fraction (ratio, lower; table): Clipped value updates = Share of value predictions that
    were clipped
  watch for: Low is healthy. High for long means that the critic wants to move further than it may:
    it overfits the batch or the value clip is too tight for the reward scale.
  related: value/loss, policy/clip_fraction
  not the same as: policy/clip_fraction
  healthy: * to 0.2 (kind=limit): beyond it, much of what the critic should learn is cut off [RL
    Metrics table (low); the number as for the policy]
value/explained_variance (ratio, higher; table): Explained variance of the critic = 1 - Var(return -
    value)/Var(return)
  watch for: 1 is perfect, 0 is no better than the mean, negative is worse than that. Low while the
    value loss is large beside the variance of the returns means that the critic has not learnt.
    Once all returns are equal (a solved task) it may drop to zero or below without meaning
    anything.
  related: value/loss, returns/std, advantage/std
  not the same as: value/error
  healthy: 0.8 to * (kinds=llm-rl; late): a critic that explains most of the returns gives
    advantages worth following [table]
  context: language models, after the first part of training
  healthy: -0.1 to * (kind=limit; late): clearly below 0 the critic is worse than guessing the mean
    return [Stable-Baselines3 documentation]
  context: after the first part of training, while returns still vary; a tenth below 0, since noise
    alone reaches 0
value/grad_norm (norm, target): Gradient norm of the critic = Gradient norm of the critic before
    clipping
  watch for: Reads like the policy's. If critic and policy share one clip limit, a huge critic
    gradient starves the policy.
  related: policy/grad_norm, value/loss
value/learning_rate (rate, neutral; glossary): Learning rate of the critic = Learning rate of the
    critic optimiser
  watch for: A critic may learn faster than its actor. If values lag behind returns, this is the
    knob; if value loss spikes, too.
  related: value/loss
value/q_mean (reward, neutral): Mean Q value = Mean predicted Q value (off-policy methods)
  watch for: Should follow the discounted return. Growing without bound is over-estimation.
  related: value/q_target_mean, outcome/return_discounted_mean
value/td_error (reward, lower): Temporal-difference error = Mean absolute temporal-difference error
  watch for: Falls as the critic learns; rising for long is divergence, or rewards that grow.
  related: value/loss, value/q_mean
  not the same as: value/loss
value/var (reward^2, neutral; table): Variance of predicted values = Variance of predicted values
  watch for: Should be stable, and of the size of the variance of the returns.
  related: returns/var, value/mean
value/pred_mean (reward, neutral): Value predictions during the update = Mean of the new value
    predictions during the update
  watch for: Should follow the mean of the return targets. A lasting gap is bias.
  related: returns/mean, value/mean
value/q_min (reward, neutral): Lowest Q value = Smallest predicted Q value
  watch for: Below the worst possible return: the Q function diverges downwards, or conservatism is
    set too strong.
  related: value/q_max, value/q_mean
value/q_max (reward, neutral): Highest Q value = Largest predicted Q value
  watch for: With rewards of at most r, no return exceeds r / (1 - gamma). Above that it is
    overestimation: use the smaller of two critics, or update targets more slowly.
  related: value/q_mean, value/q_target_max, returns/max
value/q_std (reward, neutral): Spread of Q values = Standard deviation of predicted Q values
  watch for: Near zero: all states look alike to the critic. Exploding: divergence.
  related: value/q_mean, value/loss
value/q_abs_mean (reward, neutral): Size of Q values = Mean absolute predicted Q value
  watch for: Growing without better returns is overestimation.
  related: value/q_mean, outcome/return_mean
value/q_target_mean (reward, neutral): Mean Q target = Mean bootstrapped Q target
  watch for: Runs ahead of the prediction while values still rise; both running away together is
    divergence.
  related: value/q_mean, value/td_error
  not the same as: value/q_mean
value/q_target_min (reward, neutral) = Smallest bootstrapped Q target
value/q_target_max (reward, neutral): Highest Q target = Largest bootstrapped Q target
  watch for: The first place where overestimation shows, as the maximum feeds itself through
    bootstrapping.
  related: value/q_max, value/q_target_mean
value/loss_unclipped (loss, lower) = Critic loss before the loss is clipped
value/loss_delta (loss, lower) = Critic loss after minus before the update
value/change_mean (reward, neutral): Change of the value prediction = Mean absolute change of the
    value prediction against the rollout value
  watch for: How far one update moves the critic. Large for long: lower its learning rate or clip
    it.
  related: value/clip_fraction, value/learning_rate
value/change_max (reward, neutral) = Largest change of the value prediction against the rollout
    value
value/norm_mean (reward, neutral) = Running mean used to normalise value targets
value/norm_std (reward, neutral): Scale of the value targets = Running standard deviation used to
    normalise value targets (some frameworks log the variance)
  watch for: Jumps when the reward scale changes; predictions made just before are then off by that
    factor.
  related: value/norm_mean, returns/std
value/clip_range (reward, neutral): Clip range of the critic = Clip range of the value function
  watch for: In units of the value itself, so it has to fit the reward scale: 0.2 is nothing when
    returns are in the hundreds.
  related: value/clip_fraction, returns/std
  not the same as: policy/clip_range
value/target_updates (update, neutral) = Cumulative target-network updates

# Advantages and return targets
advantage/mean (reward, target; table, glossary): Mean advantage = Mean advantage
  watch for: Centred near zero. An offset means that normalisation is off or that the critic lags; a
    change of sign or a collapse to exactly zero means that the learning signal changed or vanished.
    As a distribution: balanced, without a long tail on one side.
  related: advantage/std, value/explained_variance
  healthy: -0.1 to 0.1 (kinds=policy-gradient): advantages are normalised around zero [table]
  context: normalised advantages
advantage/std (reward, target; glossary): Spread of the advantages = Standard deviation of advantage
  watch for: About 1 when normalised. Before normalisation, extreme spread often means instability,
    and zero means that there is nothing to learn from.
  related: advantage/mean, reward/group_std_mean
advantage/min (reward, neutral): Smallest advantage = Smallest advantage
  watch for: Read it with the maximum: one side ten times the other means that a few samples push
    the whole update in one direction.
  related: advantage/max, advantage/std
advantage/max (reward, neutral): Largest advantage = Largest advantage
  watch for: A few huge values dominate the batch. Check for outlying rewards, and that advantages
    are normalised.
  related: advantage/min, advantage/std, policy/ratio_max
returns/mean (reward, neutral; table): Mean return target = Mean TD(lambda) or discounted return
    target
  watch for: Check that its scale fits the predicted values.
  related: value/mean, returns/var
  not the same as: outcome/return_mean
returns/std (reward, neutral): Spread of the return targets = Standard deviation of the return
    target
  watch for: Grows when rewards are not normalised or episodes become longer; the value loss grows
    with its square.
  related: value/loss, value/explained_variance, returns/mean
returns/min (reward, neutral): Lowest return target = Smallest return target
  watch for: A sudden new minimum is usually an unusual penalty or a bug in how rewards are summed.
  related: returns/max, returns/mean
returns/max (reward, neutral): Highest return target = Largest return target
  watch for: A sudden new maximum points at a reward that can be farmed, or at a discount that is
    missing.
  related: returns/min, returns/mean, reward/max
advantage/abs_mean (reward, target): Size of the advantages = Mean absolute advantage
  watch for: How strong the learning signal is. Near zero there is nothing to learn from; without
    normalisation it follows the reward scale.
  related: advantage/std, advantage/zero_fraction
advantage/zero_fraction (ratio, lower): Samples without a signal = Share of samples whose advantage
    is zero
  watch for: These samples cost generation and training time and teach nothing. With groups it rises
    when all answers to a prompt score the same.
  related: reward/zero_std_fraction, advantage/std
advantage/positive_fraction (ratio, target): Sign balance of the advantages = Share of samples with
    an advantage above 0
  watch for: Far from one half, a few samples of one sign carry the update: the reward is rare, or
    nearly everything is solved.
  related: advantage/zero_fraction, advantage/mean
advantage/sum (reward, neutral) = Sum of advantages over the batch
returns/var (reward^2, neutral; table): Variance of the return target = Variance of the return
    target
  watch for: Check its scale against the variance of the predicted values; when it tends to zero,
    explained variance stops meaning anything.
  related: value/var, value/explained_variance
advantage/norm_scale (reward, neutral) = Running scale used to normalise advantages
"""
