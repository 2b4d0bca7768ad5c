"""Metrics of the optimiser and of the network itself."""

METRICS = """
# Optimisation of single-model trainers
optim/loss (loss, lower; table): Total loss = Total training loss whose kind is not known from the
    name
  watch for: Whether it should fall depends on what it is: in supervised training yes, in policy
    gradients not necessarily. One number going down does not prove learning; read an outcome beside
    it.
  related: optim/grad_norm, optim/learning_rate, outcome/return_mean
optim/grad_norm (norm, target; telemetry, guide, glossary): Gradient norm = Global gradient norm
    before clipping, single-model trainers
  watch for: How hard the parameters want to move. Single spikes happen; ten times the usual value,
    or a climb without end, is explosion, a bad batch or bad numerics. Exactly zero means that
    nothing is being learnt. A few infinities with mixed precision are skipped steps.
  related: optim/learning_rate, optim/loss
  not the same as: optim/update_norm
  healthy: * to 1.0 (config_key=max_grad_norm; tools=vidur-ppo-scheduler; kinds=rl): the clip limit
    of the run: above it every step is cut to the same length [guide]
  context: max_grad_norm of the run; 1.0 is common for language models, 0.5 for classic control
  healthy: * to 10.0 (kind=limit; times=its median): ten times its usual size points at exploding
    gradients, a bad batch or numerical trouble [glossary]
  context: as a multiple of the run's own median
optim/learning_rate (rate, neutral; telemetry, glossary): Learning rate = Learning rate,
    single-model trainers
  watch for: Explains other curves: when loss, KL and gradient norm spike together, look first
    whether the schedule changed there. Note that rounded logs can show 0.
  related: optim/grad_norm, policy/approx_kl, optim/loss
optim/param_norm (norm, neutral): Parameter norm = Global parameter norm
  watch for: Moves slowly. A kink shows a changed learning rate, a missing weight decay, or a reset
    after a restart.
  related: optim/weight_decay, optim/grad_norm
optim/updates_per_iteration (update, neutral) = Optimiser updates in one iteration
optim/skipped_updates (update, lower): Skipped updates = Optimiser updates skipped (overflow,
    non-finite gradient)
  watch for: A few at the start of half-precision training are normal while the loss scale settles.
    Later ones mean overflow: look at the loss and the gradient norm.
  related: optim/nan_count, optim/grad_norm
optim/loss_run_mean (loss, lower): Mean loss of the run = Training loss averaged over the whole run
  watch for: A mean from the very start, so it lags behind and hides a late divergence. Look at the
    running loss instead.
  related: optim/loss
  not the same as: optim/loss
optim/weight_decay (coefficient, neutral) = Weight decay in force
optim/grad_variance_proxy (norm^2, neutral) = Estimate of gradient signal, power or noise (label
    kind)
optim/update_success_rate (ratio, higher): Applied updates = Share of optimiser updates applied (not
    skipped)
  watch for: Below 1, steps are being skipped for overflow or bad gradients.
  related: optim/skipped_updates, optim/nan_count
optim/nan_count (count, lower): Non-finite losses = Number of non-finite losses met
  watch for: Any is too many. Find the batch, check for logarithms of zero, empty masks and division
    by a group of equal rewards.
  related: optim/skipped_updates, optim/grad_norm
optim/update_norm (norm, neutral): Size of the update = Global norm of the applied parameter update
  watch for: What really changes the weights, after Adam and clipping. Growing at a constant
    learning rate is a warning before the loss moves.
  related: optim/grad_norm, optim/learning_rate
optim/grad_clip_fraction (ratio, lower): Updates with clipped gradients = Share of updates whose
    gradient norm exceeded the clip limit
  watch for: Near 1, the clip limit sets the step size and the learning rate hardly matters.
  related: optim/grad_norm
  not the same as: policy/clip_fraction
optim/lr_scale (ratio, neutral; guide): Scale of the adapted learning rate = What a controller
    multiplies the learning rate by, after gradient spikes
  watch for: Back at 1 some updates after a spike; if it stays low, the spikes keep coming.
  related: optim/grad_norm, optim/minibatch_size, optim/learning_rate
optim/minibatch_size (count, neutral; guide): Minibatch size = Samples in each optimizer step
  watch for: Some trainers raise it after gradient spikes, for steadier gradients.
  related: optim/grad_norm, optim/lr_scale
optim/grad_spike (flag, neutral; guide): Gradient spike, adapted to = 1 in updates whose gradient
    norm made a controller adapt the step
  related: optim/grad_norm, optim/lr_scale
optim/adam_second_moment_max (grad^2, lower) = Largest second-moment entry of Adam
optim/loss_trend (loss, target; reference): Loss trend = Fall of the loss since the previous window
    (label window); positive means that the loss fell
  watch for: Positive means that the loss fell since the last window. Positive and shrinking is
    convergence; negative over several windows is divergence.
  related: optim/loss, reward/trend
  healthy: 0.0 to * (tools=teacher-tuner): each epoch should end with a lower loss than the one
    before [reference]
  context: per epoch; approaches 0 at convergence

# The network itself, as `rv.watch(model, optimizer)` measures them
net/grad_norm (norm, neutral): Gradient norm by block = Norm of the gradient that the optimiser is
    given, overall and by block (label block)
  watch for: Compare the blocks: one that is orders of magnitude below the others does not learn,
    one far above them dominates the update. Taken as the optimiser sees it, after clipping.
  related: net/update_ratio, optim/grad_norm
  not the same as: optim/grad_norm
net/weight_norm (norm, neutral): Weight norm by block = Norm of the weights, overall and by block
    (label block)
  watch for: Moves slowly. Steady growth without weight decay shrinks every later update; a jump is
    an update that was far too large.
  related: net/update_ratio, optim/param_norm, optim/weight_decay
net/update_ratio (ratio, target): Update-to-weight ratio = Norm of one update divided by the norm of
    the weights (label block)
  watch for: The step as the network feels it, after Adam, clipping and schedule. It should fall
    with the learning rate; exactly 0 means that the weights do not move at all.
  related: net/grad_norm, net/weight_norm, optim/learning_rate
  healthy: 1e-05 to 0.1 (kind=usual): around 0.001 is usual; below a hundredth of it hardly anything
    is learned, above a tenth each update rewrites what was learned [CS231n, Neural Networks Part 3
    (ratio of updates to weights)]
  context: after warm-up; two orders of magnitude either side of 0.001
net/dead_units (ratio, lower): Dead units = Share of rectified units that fired for no sample of the
    last five measured batches (label block)
  watch for: A rectifier that never fires gets no gradient and cannot come back. A share that jumps
    after a large update was killed by it.
  related: net/saturated_units, net/update_ratio
net/saturated_units (ratio, lower): Saturated units = Share of tanh and sigmoid units that stay
    within 1% of their ends for all samples of the last five measured batches (label block)
  watch for: At the flat end of its curve a unit passes hardly any gradient on.
  related: net/dead_units
net/noise_scale (sample, neutral): Gradient noise scale = Gradient noise scale: the batch size at
    which noise and signal of the gradient are equal, from the micro-batches of an update
  watch for: A batch far below it learns in proportion to its size, one far above it wastes samples.
    Grows while a run learns. A running mean, noisy by nature.
  related: optim/grad_variance_proxy, net/grad_norm, net/update_batch
net/update_batch (sample, neutral): Samples per update = Samples of one update, all its
    micro-batches together, where their noise is measured
  watch for: Far below the noise scale an update follows noise.
  related: net/noise_scale
net/nonfinite (count, lower): First non-finite value = Gradients of a measured update that are NaN
    or infinite; with the labels module and kind, the update in which the first one appeared there
  watch for: Any is too many. Its labels name the module, and gradient, weight or output.
  related: optim/nan_count, optim/skipped_updates
net/adam_rms (ratio, target): Gradient against Adam's second moment = Root of the mean of g^2 / v:
    the gradient against Adam's second moment (label block)
  watch for: About 1 while gradients keep their size. Well above 1 they grew faster than Adam's
    memory followed: lower beta2, or clip updates.
  related: net/update_ratio, optim/adam_second_moment_max
  healthy: * to 2.3 (kind=limit): above it the second moment is out of date and the update too
    large: spikes follow [Wortsman and others, Stable and low-precision training (2023)]
  context: 1 to 8 updates before a loss spike in their runs
net/adam_below_eps (ratio, lower): Weights ruled by Adam's eps = Share of weights whose second
    moment is so small that Adam's eps sets their step
  watch for: There the step shrinks with the gradient instead of following the learning rate. Rows
    of embeddings that never occur count too.
  related: net/adam_rms, net/update_ratio

# The check before the flight: what `rv.watch` finds in the first updates; 0 is fine
preflight/trainable (parameter, neutral): Trainable parameters = Numbers in parameters that require
    a gradient
preflight/not_in_optimizer (parameter, lower): Trainable, but in no optimiser = Numbers in trainable
    parameters that are in no group of the optimiser (label module)
  watch for: They get gradients and never move: often a head replaced after the optimiser was made.
preflight/frozen (parameter, lower): Frozen, but meant to learn = Numbers in frozen parameters that
    should learn or are in the optimiser (labels module, why)
  watch for: Often on purpose; say what has to learn with rv.watch(..., learns=[...]).
preflight/zero_learning_rate (parameter, lower): Parameters with a learning rate of 0 = Numbers in
    groups whose learning rate was 0 in each of the first updates (label group)
  watch for: A schedule that begins at 0 has left it by the second update.
preflight/eval_while_training (module, lower): Modules in eval() while they train = Dropout and
    batch norm modules that were in eval() in a training pass (label module)
  watch for: Dropout that does not drop, batch statistics that are not learned: a forgotten
    model.train().
preflight/train_while_evaluating (module, lower): Modules in train() while they are evaluated =
    Dropout and batch norm modules that were in train() in a pass without gradient (label module)
  watch for: Results with dropout on are worse than the model, and batch norm learns from the test
    data.
preflight/no_gradient (parameter, lower): Trainable, but without a gradient = Numbers in the
    optimiser's parameters without a gradient in the first updates (label module)
  watch for: Cut off from the loss: detached, not called, or multiplied by 0.
preflight/initial_loss_ratio (ratio, target): First loss against guessing = Loss of the first batch
    divided by that of guessing, ln(classes)
  watch for: 1 for a network that knows nothing, below 1 for one trained before. Far above 1 it is
    sure of the wrong things: initialisation, scale of the inputs, labels.
preflight/repeated_batches (ratio, lower): Batches that repeat = Share of the first batches that are
    the same as an earlier one
  watch for: 1 means that the model sees only one batch: a new loader at each step, or a fixed seed.
preflight/cross_sample_gradient (ratio, lower): Samples that see each other = Share of the gradient
    of a sample's output that goes to other samples' inputs, in eval()
  watch for: Above 0, answers depend on neighbours: a wrong dimension in a view, norm or softmax.
"""
