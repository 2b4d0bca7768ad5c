"""Metrics of the policy and the size of its steps."""

from runvitals.catalog.definitions.metrics.optim import GRAD_NORM_BANDS
from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "policy/loss",
        meaning="Policy-gradient (surrogate) loss without regularisers",
        unit="loss",
        direction="neutral",
        category="policy",
        title="Policy loss",
        watch_for=(
            "An objective, not a score: with normalised advantages it hovers around zero and "
            "need not fall. Explosions mean instability, a dead flat line means no signal."
        ),
        related=("policy/loss_total", "advantage/std", "policy/approx_kl"),
        not_the_same_as=("policy/loss_total",),
        documents=(
            "Training Metrics and Telemetry",
            "RL Metrics table",
            "Training Metrics Glossary",
            "TensorBoard Metrics Reference",
        ),
    ),
    Metric(
        "policy/loss_total",
        meaning="Actor loss with entropy and KL terms",
        unit="loss",
        direction="neutral",
        category="policy",
        title="Actor loss with its regularisers",
        watch_for=(
            "Should come down overall and settle; small oscillations are fine. Sudden jumps point at "
            "a learning rate that is too high, a shift in the data, or updates that overshoot and "
            "come back."
        ),
        related=("policy/loss", "policy/kl_loss", "policy/entropy_loss"),
        not_the_same_as=("policy/loss",),
        documents=("Training Metrics Glossary", "TensorBoard Metrics Reference"),
    ),
    Metric(
        "policy/entropy",
        meaning="Mean entropy of the policy per action or token",
        unit="nat",
        direction="target",
        category="policy",
        title="Policy entropy",
        healthy=(
            Band(
                0.5,
                None,
                why="below its floor the policy hardly explores any more",
                source="Training Monitoring Guide",
                context="floor set in the run's config; 0.5 in the guide's PPO scheduler",
                config_key="entropy_min",
                tools=("vidur-ppo-scheduler",),
            ),
            Band(
                0.1,
                None,
                why=(
                    "high early, falling gently: a policy that has lost nine tenths of its "
                    "randomness hardly explores any more"
                ),
                source="judgement, as rule ENT001",
                context="as a multiple of its own start; discrete actions and tokens",
                kind="limit",
                actions="discrete",
                times="its start",
            ),
        ),
        watch_for=(
            "High early, while the policy explores; falling gently as it commits. A fast fall "
            "early on is collapse: the policy turned deterministic before it knew what is good. "
            "Compare with the value of the first update, not with zero: entropy of continuous "
            "actions may be negative."
        ),
        related=("policy/entropy_coef", "reward/group_std_mean", "policy/action_std"),
        not_the_same_as=("policy/entropy_loss", "policy/entropy_sequence", "lm/entropy"),
        documents=(
            "Training Metrics and Telemetry",
            "RL Metrics table",
            "Training Monitoring Guide",
            "Training Metrics Glossary",
        ),
    ),
    Metric(
        "policy/entropy_loss",
        meaning="Entropy term as it enters the loss",
        unit="loss",
        direction="neutral",
        category="policy",
        title="Entropy term of the loss",
        watch_for=(
            "Sign and factor differ between tools. Many log plain entropy under this name; look "
            "at `runvitals explain` for your tool before reading it."
        ),
        related=("policy/entropy", "policy/entropy_coef"),
        not_the_same_as=("policy/entropy",),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "policy/entropy_coef",
        meaning="Weight of the entropy bonus",
        unit="coefficient",
        direction="neutral",
        category="policy",
        title="Weight of the entropy bonus",
        watch_for=(
            "With automatic temperature (SAC) it falls to somewhere between 0.001 and 0.1; "
            "rising without bound means that the entropy target cannot be met."
        ),
        related=("policy/entropy", "policy/entropy_target"),
    ),
    Metric(
        "policy/approx_kl",
        meaning="Estimated KL between the sampling (old) policy and the policy being updated",
        unit="nat",
        direction="target",
        category="policy",
        title="Approximate KL, old policy to new",
        healthy=(
            Band(
                None,
                0.05,
                why="the fast estimator stays between 0.01 and 0.05 in sound PPO updates",
                source="RL Metrics table",
                context="clipped updates; squared or k3 estimators",
                kinds=("policy-gradient",),
            ),
            Band(
                None,
                0.15,
                why="tuned policies over real-valued actions move further in one update",
                source="three times the RL Metrics table (judgement)",
                context="clipped updates of continuous actions",
                kinds=("policy-gradient",),
                actions="continuous",
            ),
            Band(
                None,
                0.02,
                why="the run's own limit for one update",
                source="Training Monitoring Guide",
                context="target_kl of the run; 0.02 in the guide",
                config_key="target_kl",
                kinds=("policy-gradient",),
                tools=("vidur-ppo-scheduler",),
            ),
            Band(
                0.0001,
                0.035,
                why=(
                    "range of approx_kl in healthy PPO runs on CartPole, MountainCar and Pendulum"
                ),
                source="healthy Stable-Baselines3 runs recorded for runvitals",
                context="classic control with PPO, k3 estimator",
                algorithms=("PPO",),
                kind="usual",
                kinds=("control",),
            ),
        ),
        watch_for=(
            "How far one update moves the policy. Too high: lower the learning rate, use fewer "
            "epochs per batch, tighten the clip range. Too low for long: the updates are tiny; "
            "raise the learning rate, loosen the clip, check the advantages. Spikes often come "
            "before a fall of the reward."
        ),
        related=(
            "policy/clip_fraction",
            "policy/kl_old",
            "optim/learning_rate",
            "policy/ratio_mean",
        ),
        not_the_same_as=("policy/kl_ref", "policy/kl_ref_sequence", "mismatch/kl"),
        documents=(
            "Training Metrics and Telemetry",
            "RL Metrics table",
            "Training Monitoring Guide",
            "Training Metrics Glossary",
        ),
    ),
    Metric(
        "policy/kl_ref",
        meaning="Estimated KL between the policy and the frozen reference model",
        unit="nat",
        direction="target",
        category="policy",
        title="KL to the reference, per token",
        healthy=(
            Band(
                0.01,
                0.1,
                why="small and positive: the policy has moved, and is still close",
                source="RL Metrics table",
                context="per token, PPO; group-based methods go further without harm",
                algorithms=("PPO",),
                scale=(-0.1, 0.2),
                kinds=("llm",),
            ),
        ),
        watch_for=(
            "How far the policy has moved from where it started. A slow rise is learning; a "
            "steep one is over-optimisation of the reward; near zero for long means that little "
            "has been learnt. Spikes often come before a collapse."
        ),
        related=("policy/kl_coef", "policy/kl_ref_sequence", "reward/score_mean"),
        not_the_same_as=("policy/approx_kl", "policy/kl_ref_sequence", "mismatch/kl"),
        documents=("RL Metrics table", "Training Metrics Glossary"),
    ),
    Metric(
        "policy/kl_loss",
        meaning="KL-to-reference term as it enters the loss",
        unit="loss",
        direction="neutral",
        category="policy",
        title="KL term of the loss",
        watch_for=(
            "Present only when the KL penalty is part of the loss. It should stay small beside "
            "the policy loss."
        ),
        related=("policy/kl_ref", "policy/kl_coef"),
        not_the_same_as=("policy/kl_ref",),
        documents=("Training Metrics Glossary", "TensorBoard Metrics Reference"),
    ),
    Metric(
        "policy/kl_coef",
        meaning="Weight of the KL penalty",
        unit="coefficient",
        direction="neutral",
        category="policy",
        title="Weight of the KL penalty",
        watch_for=(
            "An adaptive controller raises it when the KL is above target. A steady climb means "
            "that the policy pushes away faster than the penalty holds it."
        ),
        related=("policy/kl_ref", "reward/kl_penalty_mean"),
        documents=("RL Metrics table", "Training Metrics Glossary"),
    ),
    Metric(
        "policy/clip_fraction",
        meaning="Share of actions or tokens whose ratio was clipped",
        unit="ratio",
        direction="target",
        category="policy",
        title="Clip fraction",
        healthy=(
            Band(
                0.1,
                0.3,
                why=(
                    "some clipping shows that updates use the room they have; above 0.3 many "
                    "are cut"
                ),
                source="Training Monitoring Guide",
                context="the guide's PPO scheduler; PPO with several epochs per batch",
                tools=("vidur-ppo-scheduler",),
                names=("clipfrac",),
            ),
            Band(
                None,
                0.2,
                why="few samples should need the limit",
                source="RL Metrics table",
                context="PPO and similar algorithms for language models",
                kinds=("llm-rl",),
            ),
            Band(
                None,
                0.3,
                why="above 0.3 many updates are cut",
                source="Training Monitoring Guide",
                context="clipped updates",
                kinds=("policy-gradient",),
            ),
            Band(
                0.0,
                0.25,
                why=(
                    "range of the clip fraction in healthy PPO runs on CartPole, MountainCar "
                    "and Pendulum"
                ),
                source="healthy Stable-Baselines3 runs recorded for runvitals",
                context="classic control with PPO, advantage sign ignored",
                algorithms=("PPO",),
                kind="usual",
                kinds=("control",),
            ),
        ),
        watch_for=(
            "How many samples hit the clip. High for long: the learning rate is too high, "
            "batches are too small or noisy, or the clip range is too tight. Near zero with "
            "slow learning: the updates could be larger. Exactly zero with one update per batch "
            "is normal."
        ),
        related=(
            "policy/approx_kl",
            "policy/clip_range",
            "policy/ratio_mean",
            "optim/learning_rate",
        ),
        not_the_same_as=("value/clip_fraction", "length/response_clip_ratio"),
        documents=(
            "Training Metrics and Telemetry",
            "RL Metrics table",
            "Training Monitoring Guide",
            "Training Metrics Glossary",
        ),
    ),
    Metric(
        "policy/clip_fraction_low",
        meaning="Share clipped at the lower bound",
        unit="ratio",
        direction="target",
        category="policy",
        title="Clipped at the lower bound",
        watch_for=(
            "Tokens whose probability falls as fast as allowed. Well above the upper share: the "
            "update mostly suppresses."
        ),
        related=("policy/clip_fraction_high", "policy/clip_fraction"),
    ),
    Metric(
        "policy/clip_fraction_high",
        meaning="Share clipped at the upper bound",
        unit="ratio",
        direction="target",
        category="policy",
        title="Clipped at the upper bound",
        watch_for=(
            "Tokens whose probability rises as fast as allowed. High with falling entropy: a wider "
            "upper bound keeps exploration alive."
        ),
        related=("policy/clip_fraction_low", "policy/entropy"),
    ),
    Metric(
        "policy/clip_fraction_dual",
        meaning="Share limited by the dual-clip bound (negative advantage, huge ratio)",
        unit="ratio",
        direction="lower",
        category="policy",
        title="Dual-clipped share",
        watch_for=(
            "Should be all but zero. Otherwise ratios of bad actions explode: samples are too old, "
            "or the step is too large."
        ),
        related=("policy/ratio_max", "policy/clip_fraction"),
    ),
    Metric(
        "policy/clip_range",
        meaning="Clip range in force",
        unit="ratio",
        direction="neutral",
        category="policy",
        title="Clip range",
        watch_for="A setting. Note it with every run: clip fraction and KL cannot be read without it.",
        related=("policy/clip_fraction",),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "policy/ratio_mean",
        meaning="Mean importance ratio new/old policy",
        unit="ratio",
        direction="target",
        category="policy",
        title="Importance ratio, mean",
        healthy=(
            Band(
                0.8,
                1.2,
                why="about 1; a fifth to either side is where the usual clip range cuts",
                source="RL Metrics table",
                context="mean over the batch",
            ),
            Band(
                None,
                10.0,
                why="TRL's PPO skips a batch above this mean ratio",
                source="TRL PPOConfig defaults (0.11)",
                context="ratio_threshold",
                kind="limit",
                tools=("trl",),
            ),
            Band(
                None,
                200.0,
                why="beyond this the update is certainly unstable",
                source="RL Metrics table",
                context="single ratios or their mean",
                kind="limit",
            ),
        ),
        watch_for=(
            "New over old probability of the sampled actions. About 1 by construction; its "
            "drift and its outliers show how far an update went."
        ),
        related=("policy/ratio_max", "policy/clip_fraction", "policy/approx_kl"),
        not_the_same_as=("mismatch/is_weight_mean",),
        documents=("RL Metrics table",),
    ),
    Metric(
        "policy/ratio_std",
        meaning="Standard deviation of the importance ratio",
        unit="ratio",
        direction="lower",
        category="policy",
        title="Spread of the importance ratio",
        watch_for=(
            "Near zero in the first pass over a batch; grows with every further epoch and with "
            "staleness."
        ),
        related=("policy/ratio_mean", "policy/clip_fraction"),
    ),
    Metric(
        "policy/ratio_min",
        meaning="Smallest importance ratio",
        unit="ratio",
        direction="target",
        category="policy",
        title="Smallest importance ratio",
        watch_for=(
            "Near zero: some sampled actions have become almost impossible within one update."
        ),
        related=("policy/ratio_max", "policy/clip_fraction_low"),
    ),
    Metric(
        "policy/ratio_max",
        meaning="Largest importance ratio",
        unit="ratio",
        direction="lower",
        category="policy",
        title="Importance ratio, largest",
        healthy=(
            Band(
                None,
                200.0,
                why="beyond this the update is certainly unstable",
                source="RL Metrics table",
                kind="limit",
            ),
        ),
        watch_for="One huge ratio can rule a batch. Above 200 the update is unstable.",
        related=("policy/ratio_mean",),
        documents=("RL Metrics table",),
    ),
    Metric(
        "policy/logprob_mean",
        meaning="Mean log-probability of the sampled actions or tokens under the policy",
        unit="nat",
        direction="neutral",
        category="policy",
        title="Log-probability of the samples",
        watch_for=(
            "Look for shifts against the reference: a steep rise means that the policy grows "
            "certain, often too certain."
        ),
        related=("policy/logprob_ref_mean", "policy/entropy"),
        documents=("RL Metrics table",),
    ),
    Metric(
        "policy/logprob_ref_mean",
        meaning="Mean log-probability under the reference model",
        unit="nat",
        direction="neutral",
        category="policy",
        title="Log-probability under the reference",
        watch_for=(
            "A fall while the policy's own log-probability stays means that the policy writes "
            "what the reference would not."
        ),
        related=("policy/logprob_mean", "policy/kl_ref"),
        documents=("RL Metrics table",),
    ),
    Metric(
        "policy/grad_norm",
        meaning="Global gradient norm of the policy before clipping",
        unit="norm",
        direction="target",
        category="policy",
        title="Gradient norm of the policy",
        healthy=GRAD_NORM_BANDS,
        watch_for=(
            "How hard the parameters want to move. Single spikes happen; ten times the usual "
            "value, or a climb without end, is explosion, a bad batch or bad numerics. Exactly "
            "zero means that nothing is being learnt."
        ),
        related=("policy/learning_rate", "policy/loss_total"),
        not_the_same_as=("value/grad_norm",),
        documents=(
            "Training Metrics and Telemetry",
            "Training Monitoring Guide",
            "Training Metrics Glossary",
        ),
    ),
    Metric(
        "policy/learning_rate",
        meaning="Learning rate of the policy optimiser",
        unit="rate",
        direction="neutral",
        category="policy",
        title="Learning rate of the policy",
        watch_for=(
            "No measure of quality, but it explains others: when loss, KL and gradient norm "
            "spike together, look first whether the schedule changed there."
        ),
        related=("policy/approx_kl", "policy/grad_norm"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "policy/action_std",
        meaning="Mean standard deviation of a Gaussian policy",
        unit="action",
        direction="target",
        category="policy",
        title="Spread of the action noise",
        watch_for=(
            "Shrinks as the policy gets sure. Rising without end means that the entropy bonus "
            "outweighs the reward."
        ),
        related=("policy/entropy",),
    ),
    Metric(
        "policy/entropy_sequence",
        meaning="Entropy estimate summed over the response: mean over sequences of -sum log p",
        unit="nat/sequence",
        direction="neutral",
        category="policy",
        title="Entropy per response",
        watch_for=(
            "High early, then falling gradually. A sum over the response, so it moves with length. "
            "In TRL's PPO, padding takes one nat off per position: it can fall below zero while the "
            "true entropy is fine."
        ),
        related=("policy/entropy", "length/response_mean"),
        not_the_same_as=("policy/entropy",),
        documents=("RL Metrics table",),
    ),
    Metric(
        "policy/entropy_min",
        meaning="Smallest per-token entropy",
        unit="nat",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/entropy_max",
        meaning="Largest per-token entropy",
        unit="nat",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/entropy_threshold",
        meaning="Entropy cut above which tokens are trained",
        unit="nat",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/kl_ref_sequence",
        meaning="KL to the reference summed over the response, mean over sequences",
        unit="nat/sequence",
        direction="target",
        category="policy",
        title="KL to the reference, per response",
        healthy=(
            Band(
                0.01,
                0.1,
                why="small and positive",
                source="RL Metrics table",
                context=(
                    "the table's number for objective/kl; it fits a per-token KL, while TRL "
                    "sums over the response. It holds for runs that begin on its scale"
                ),
                scale=(-0.1, 0.2),
            ),
            Band(
                None,
                6.0,
                why=("the adaptive controller of TRL's PPO aims at 6 nats per response by default"),
                source="TRL PPOConfig defaults (0.11)",
                context="sum over the response, TRL",
                config_key="target_kl_ref",
                kind="limit",
                tools=("trl",),
            ),
        ),
        watch_for=(
            "A sum over the response: divide by the response length before comparing with "
            "per-token numbers. Up means over-optimisation, down towards zero means "
            "under-training."
        ),
        related=("policy/kl_ref", "policy/kl_coef", "length/response_mean"),
        not_the_same_as=("policy/kl_ref", "policy/approx_kl"),
        documents=("RL Metrics table", "Training Metrics Glossary"),
    ),
    Metric(
        "policy/kl_ref_max",
        meaning="Largest per-token KL to the reference",
        unit="nat",
        direction="lower",
        category="policy",
        title="Largest KL of a token",
        watch_for=(
            "A few tokens can carry most of the KL: often format or stop tokens. Look which before "
            "raising the penalty."
        ),
        related=("policy/kl_ref",),
    ),
    Metric(
        "policy/kl_old",
        meaning=(
            "First-order estimate mean(log p_old - log p_new); sign carries no meaning for "
            "small steps"
        ),
        unit="nat",
        direction="target",
        category="policy",
        title="First-order KL, old policy to new",
        healthy=(
            Band(
                None,
                0.05,
                why="as for the other estimators, once the noise is averaged out",
                source="RL Metrics table",
                context="absolute value of a running mean",
            ),
        ),
        watch_for=(
            "A mean of log-ratios: for small steps it is mostly noise around zero, and a "
            "negative value says nothing. Judge it only when it is far from zero for many "
            "updates, or use a squared or k3 estimator. Exactly zero on the first pass over a "
            "batch is normal."
        ),
        related=("policy/approx_kl", "policy/clip_fraction"),
        not_the_same_as=("policy/kl_ref", "mismatch/kl"),
        documents=("Training Metrics Glossary",),
    ),
    Metric(
        "policy/clip_fraction_low_min",
        meaning="Smallest per-sequence lower clip fraction",
        unit="ratio",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/clip_fraction_high_max",
        meaning="Largest per-sequence upper clip fraction",
        unit="ratio",
        direction="lower",
        category="policy",
    ),
    Metric(
        "policy/ratio_clamped_mean",
        meaning="Mean importance ratio after clipping",
        unit="ratio",
        direction="target",
        category="policy",
    ),
    Metric(
        "policy/ratio_var",
        meaning="Variance of the importance ratio",
        unit="ratio^2",
        direction="lower",
        category="policy",
    ),
    Metric(
        "policy/loss_positive_nll",
        meaning="Extra likelihood term on correct samples",
        unit="loss",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/nll_mean",
        meaning="Mean negative log-probability of sampled tokens (sample estimate of entropy)",
        unit="nat",
        direction="neutral",
        category="policy",
        title="Negative log-probability of samples",
        watch_for="Estimates the entropy from samples alone: the same trend, more noise.",
        related=("policy/entropy", "policy/logprob_mean"),
        not_the_same_as=("policy/entropy",),
    ),
    Metric(
        "policy/entropy_coef_loss",
        meaning="Loss of the learned entropy temperature (SAC alpha loss)",
        unit="loss",
        direction="neutral",
        category="policy",
        title="Loss of the entropy temperature",
        watch_for=(
            "Changes sign by design: it only says whether entropy lies above or below the target. "
            "Look at the temperature itself."
        ),
        related=("policy/entropy_coef", "policy/entropy", "policy/entropy_target"),
    ),
    Metric(
        "policy/entropy_target",
        meaning="Target entropy of SAC-style temperature control",
        unit="nat",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/kl_max",
        meaning="Largest per-sample KL between old and new policy",
        unit="nat",
        direction="lower",
        category="policy",
        title="Largest KL of a sample",
        watch_for="Spikes before the mean does when a few states are updated too hard.",
        related=("policy/approx_kl", "policy/ratio_max"),
        not_the_same_as=("policy/kl_ref_max",),
    ),
    Metric(
        "policy/ratio_abs_dev",
        meaning="Mean of |ratio - 1|",
        unit="ratio",
        direction="lower",
        category="policy",
        title="Distance of the ratio from 1",
        watch_for=(
            "Zero when on-policy. Compare with the clip range: near it, most of the batch is about "
            "to be clipped."
        ),
        related=("policy/ratio_mean", "policy/clip_fraction"),
    ),
    Metric(
        "policy/logit_abs_max",
        meaning="Largest absolute policy logit or log-probability",
        unit="logit",
        direction="lower",
        category="policy",
    ),
    Metric(
        "policy/early_stop_iter",
        meaning="Optimisation iteration at which the KL limit stopped the update",
        unit="iteration",
        direction="neutral",
        category="policy",
        title="Iteration of the early stop",
        watch_for=(
            "Stopping after one or two passes in every update: the step is too large for the KL "
            "limit, so lower the learning rate."
        ),
        related=("policy/approx_kl", "optim/learning_rate"),
    ),
    Metric(
        "policy/line_search_success",
        meaning="Share of trust-region line searches that found an acceptable step",
        unit="ratio",
        direction="higher",
        category="policy",
        title="Successful line searches",
        watch_for=(
            "Low: the trust-region step finds no improvement and updates are thrown away. Check "
            "the advantages and the KL limit."
        ),
        related=("policy/backtrack_iters", "policy/approx_kl"),
    ),
    Metric(
        "policy/backtrack_iters",
        meaning="Backtracking steps of the trust-region line search",
        unit="step",
        direction="lower",
        category="policy",
    ),
    Metric(
        "policy/step_size",
        meaning="Step size of the parameter update chosen by the algorithm (TRPO, ARS)",
        unit="size",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/loss_delta",
        meaning="Policy loss after minus before the update",
        unit="loss",
        direction="lower",
        category="policy",
    ),
    Metric(
        "policy/temperature",
        meaning="Softmax temperature used for sampling actions",
        unit="temperature",
        direction="neutral",
        category="policy",
        title="Sampling temperature",
        healthy=(
            Band(
                0.5,
                2.0,
                why="below, the policy is all but greedy; above, it is noise",
                source="Training Monitoring Guide",
                context="outside of pulses; the run's own bounds go first",
                config_key="min_temperature max_temperature",
                tools=("vidur-ppo-scheduler",),
                names=("current_temperature", "temp_current_temperature"),
                unless="control/pulse_active",
            ),
        ),
        watch_for=(
            "Sets how random the sampled actions are. Short pulses above the band are meant to "
            "shake a stagnant policy loose; check that they fall on stagnation."
        ),
        related=(
            "policy/entropy",
            "control/pressure",
            "control/pulse_active",
            "policy/temperature_base",
        ),
        not_the_same_as=("policy/entropy_coef",),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "policy/action_mean",
        meaning="Mean action or mean of the action distribution",
        unit="action",
        direction="neutral",
        category="policy",
        title="Mean action",
        watch_for="Drifting to the bounds: saturated actions, whose gradients vanish.",
        related=("policy/action_min", "policy/action_max", "policy/action_std"),
    ),
    Metric(
        "policy/action_min",
        meaning="Smallest action taken",
        unit="action",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/action_max",
        meaning="Largest action taken",
        unit="action",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/action_norm",
        meaning="Mean action magnitude",
        unit="action",
        direction="neutral",
        category="policy",
    ),
    Metric(
        "policy/action_std_min",
        meaning="Smallest standard deviation of a Gaussian policy",
        unit="action",
        direction="target",
        category="policy",
        title="Smallest action spread",
        watch_for="Near zero: at least one action dimension no longer explores.",
        related=("policy/action_std", "policy/entropy"),
    ),
    Metric(
        "policy/action_std_max",
        meaning="Largest standard deviation of a Gaussian policy",
        unit="action",
        direction="target",
        category="policy",
        title="Largest action spread",
        watch_for="Growing without end: the entropy bonus outweighs the reward in that dimension.",
        related=("policy/action_std", "policy/entropy_coef"),
    ),
    Metric(
        "policy/action_share",
        meaning="Share or count of one discrete action (label action)",
        unit="count",
        direction="neutral",
        category="policy",
        title="Share of one action",
        watch_for=(
            "Should settle near uniform when the actions are equivalent (servers, replicas) "
            "unless the workload says otherwise. One action eating the others early means that "
            "a warm start failed or the policy collapsed."
        ),
        related=("policy/entropy",),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "policy/temperature_base",
        meaning="Sampling temperature before a controller corrects it",
        unit="temperature",
        direction="neutral",
        category="policy",
        title="Base temperature",
        watch_for=(
            "Compare with the current temperature to see what the controller adds or takes away."
        ),
        related=("policy/temperature",),
        documents=("Training Monitoring Guide",),
    ),
)
