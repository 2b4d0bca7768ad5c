"""Metrics of what the learner is paid."""

from runvitals.model import Band, Metric

METRICS = (
    Metric(
        "reward/mean",
        meaning="Mean reward per sample as it enters the advantage computation",
        unit="reward",
        direction="higher",
        category="reward",
        title="Mean reward",
        healthy=(
            Band(
                0.7,
                None,
                why="a teacher that scores 0 to 1 gives most answers good marks by the end",
                source="TensorBoard Metrics Reference",
                context="a teacher's scores between 0 and 1, late in training",
                tools=("teacher-tuner",),
                scale=(0.0, 1.0),
                late=True,
            ),
        ),
        watch_for=(
            "Should climb steadily. Check what is inside: with a KL penalty it can fall while "
            "the score rises. A total that is negative while its absolute part is positive "
            "points at the delta or penalty terms being too heavy."
        ),
        related=("reward/score_mean", "reward/std", "outcome/success_rate", "eval/mean_at_n"),
        not_the_same_as=("outcome/return_mean", "reward/score_mean"),
        documents=(
            "Training Metrics Glossary",
            "Training Monitoring Guide",
            "TensorBoard Metrics Reference",
        ),
    ),
    Metric(
        "reward/std",
        meaning="Standard deviation of reward over the batch",
        unit="reward",
        direction="neutral",
        category="reward",
        title="Spread of rewards",
        watch_for=(
            "Moderate is healthy. Zero means that all samples earn the same and the gradient "
            "has nothing to go by; sudden growth means outliers or a change of the data."
        ),
        related=("reward/var", "reward/group_std_mean", "reward/zero_std_fraction"),
        not_the_same_as=("reward/group_std_mean",),
        documents=("RL Metrics table", "TensorBoard Metrics Reference"),
    ),
    Metric(
        "reward/min",
        meaning="Smallest reward in the batch",
        unit="reward",
        direction="higher",
        category="reward",
        title="Lowest reward in the batch",
        watch_for="Far below the rest: a penalty, or a parser that fails. Read that sample.",
        related=("reward/max", "reward/mean"),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "reward/max",
        meaning="Largest reward in the batch",
        unit="reward",
        direction="higher",
        category="reward",
        title="Highest reward in the batch",
        watch_for=(
            "At its ceiling for most of the batch: the task has become easy. A new record out of "
            "nowhere: check for an exploit."
        ),
        related=("reward/min", "reward/mean"),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "reward/median",
        meaning="Median reward in the batch",
        unit="reward",
        direction="higher",
        category="reward",
        title="Median reward",
        watch_for=(
            "Less moved by outliers than the mean. Mean up and median flat: few samples improved a "
            "lot."
        ),
        related=("reward/mean",),
    ),
    Metric(
        "reward/score_mean",
        meaning="Mean raw score of the reward model or verifier before KL penalty and shaping",
        unit="reward",
        direction="higher",
        category="reward",
        title="Mean raw score",
        watch_for=(
            "Up steadily over training. This is the score before KL penalty and shaping, so it "
            "is the one to compare between runs with different penalties. Rising score with "
            "falling length or flat validation smells of reward hacking. As a distribution: balanced, "
            "without long tails."
        ),
        related=("reward/mean", "reward/kl_penalty_mean", "length/response_mean", "eval/mean_at_n"),
        not_the_same_as=("reward/mean",),
        documents=("RL Metrics table",),
    ),
    Metric(
        "reward/score_std",
        meaning="Standard deviation of the raw score",
        unit="reward",
        direction="neutral",
        category="reward",
        title="Spread of raw scores",
        watch_for=(
            "Moderate and steady. Exploding means a few outliers rule the batch; zero means "
            "nothing left to learn from."
        ),
        related=("reward/score_mean", "reward/zero_std_fraction"),
        documents=("RL Metrics table",),
    ),
    Metric(
        "reward/score_min",
        meaning="Smallest raw score",
        unit="reward",
        direction="higher",
        category="reward",
        title="Lowest raw score",
        watch_for="A sudden new low is usually a broken answer or a failed verifier.",
        related=("reward/score_mean", "length/aborted_ratio"),
    ),
    Metric(
        "reward/score_max",
        meaning="Largest raw score",
        unit="reward",
        direction="higher",
        category="reward",
        title="Highest raw score",
        watch_for=(
            "Scores beyond anything seen in the judge's training data are a sign of exploitation."
        ),
        related=("reward/score_mean", "policy/kl_ref"),
    ),
    Metric(
        "reward/kl_penalty_mean",
        meaning="Mean KL (non-score) part of the reward, usually negative",
        unit="reward",
        direction="neutral",
        category="reward",
        title="KL part of the reward",
        watch_for=(
            "Usually negative. It should stay small beside the score; when it dominates, the "
            "learner is paid for standing still."
        ),
        related=("reward/score_mean", "policy/kl_ref_sequence", "policy/kl_coef"),
        documents=("RL Metrics table",),
    ),
    Metric(
        "reward/component_mean",
        meaning="Mean of one named reward function (label component)",
        unit="reward",
        direction="higher",
        category="reward",
        title="One part of the reward",
        healthy=(
            Band(
                -0.1,
                0.1,
                why="the penalty is near zero once the load is balanced",
                source="Training Monitoring Guide",
                context=(
                    "the load-balance penalty of the guide's scheduler, late in training; near is "
                    "a tenth of a score that goes to 1 (judgement)"
                ),
                tools=("vidur-ppo-scheduler",),
                labels={"component": "balance_penalty"},
                late=True,
            ),
        ),
        watch_for=(
            "Watch the parts, not only the sum: a total can rise on the strength of a part that "
            "is easy to game. A penalty such as a load-balance term should shrink to about zero "
            "once the behaviour it punishes is gone; if it stays high, raise its weight."
        ),
        related=("reward/mean", "reward/component_std", "reward/component_weight"),
        documents=("Training Monitoring Guide",),
    ),
    Metric(
        "reward/component_std",
        meaning="Standard deviation of one named reward function (label component)",
        unit="reward",
        direction="neutral",
        category="reward",
        title="Spread of a reward part",
        watch_for="At zero this part no longer tells samples apart and teaches nothing.",
        related=("reward/component_mean", "reward/zero_std_fraction"),
    ),
    Metric(
        "reward/group_std_mean",
        meaning="Mean within-prompt (group) standard deviation of reward",
        unit="reward",
        direction="target",
        category="reward",
        title="Reward spread within a prompt",
        watch_for=(
            "The learning signal of group-based methods. Near zero means that all answers to a "
            "prompt earn the same: too easy, too hard, or a policy that has collapsed."
        ),
        related=("reward/zero_std_fraction", "policy/entropy"),
        not_the_same_as=("reward/std",),
    ),
    Metric(
        "reward/zero_std_fraction",
        meaning="Share of prompt groups whose rewards are all equal (no learning signal)",
        unit="ratio",
        direction="lower",
        category="reward",
        title="Prompts without signal",
        watch_for=(
            "Share of prompts whose answers all earn the same. These cost generation time and "
            "teach nothing. Rising towards one means that the data no longer fits the model's "
            "skill."
        ),
        related=(
            "reward/group_std_mean",
            "reward/group_all_correct_fraction",
            "reward/group_all_wrong_fraction",
        ),
    ),
    Metric(
        "reward/group_all_correct_fraction",
        meaning="Share of prompt groups solved by every sample",
        unit="ratio",
        direction="neutral",
        category="reward",
        title="Groups solved by all",
        watch_for=(
            "These prompts have become too easy and give no gradient. Growing: time for harder "
            "data."
        ),
        related=(
            "reward/group_all_wrong_fraction",
            "reward/zero_std_fraction",
            "reward/group_mixed_fraction",
        ),
    ),
    Metric(
        "reward/group_all_wrong_fraction",
        meaning="Share of prompt groups solved by no sample",
        unit="ratio",
        direction="lower",
        category="reward",
        title="Groups solved by none",
        watch_for=(
            "Too hard, or the verifier rejects right answers: read some. These groups give no "
            "gradient either."
        ),
        related=("reward/group_all_correct_fraction", "reward/zero_std_fraction"),
    ),
    Metric(
        "reward/var",
        meaning="Variance of reward (square of the standard deviation)",
        unit="reward^2",
        direction="neutral",
        category="reward",
        title="Variance of rewards",
        healthy=(
            Band(
                None,
                0.01,
                why="answers of one quality: consistent training",
                source="TensorBoard Metrics Reference",
                context="a teacher's scores between 0 and 1",
                tools=("teacher-tuner",),
                scale=(0.0, 0.25),
            ),
        ),
        watch_for=(
            "The square of the spread: low means consistent answers. For group-based methods a "
            "variance of zero is the opposite of good, since equal rewards carry no signal."
        ),
        related=("reward/std", "reward/zero_std_fraction"),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "reward/running_mean",
        meaning="Running mean used to normalise scores",
        unit="reward",
        direction="neutral",
        category="reward",
        title="Running reward mean",
        watch_for="Used for normalising. A jump changes what every later score is worth.",
        related=("reward/running_std", "reward/score_mean"),
    ),
    Metric(
        "reward/running_std",
        meaning="Running standard deviation used to normalise scores",
        unit="reward",
        direction="neutral",
        category="reward",
        title="Running reward spread",
        watch_for="Small values blow up normalised rewards; check it when advantages explode.",
        related=("reward/running_mean", "advantage/std"),
    ),
    Metric(
        "reward/positive_mean",
        meaning="Mean of the positive part of the rewards",
        unit="reward",
        direction="higher",
        category="reward",
    ),
    Metric(
        "reward/component_min",
        meaning="Smallest value of one named reward function (label component)",
        unit="reward",
        direction="neutral",
        category="reward",
    ),
    Metric(
        "reward/component_max",
        meaning="Largest value of one named reward function (label component)",
        unit="reward",
        direction="neutral",
        category="reward",
    ),
    Metric(
        "reward/group_any_correct_fraction",
        meaning="Share of prompt groups with at least one correct sample in the training batch",
        unit="ratio",
        direction="higher",
        category="reward",
        title="Groups solved at least once",
        watch_for=(
            "The training-time pass@k: what exploration can still find. If it falls while the mean "
            "rises, diversity is being lost."
        ),
        related=("eval/pass_at_k", "reward/group_mixed_fraction"),
    ),
    Metric(
        "reward/group_mixed_fraction",
        meaning="Share of prompt groups with some but not all samples correct",
        unit="ratio",
        direction="higher",
        category="reward",
        title="Mixed-reward groups",
        watch_for=(
            "Only groups with right and wrong answers carry a gradient; this share is the "
            "effective batch size of group methods."
        ),
        related=(
            "reward/zero_std_fraction",
            "reward/group_all_correct_fraction",
            "reward/group_all_wrong_fraction",
        ),
    ),
    Metric(
        "reward/implicit_mean",
        meaning="Mean implicit reward beta*log(policy/reference) of sampled responses",
        unit="reward",
        direction="neutral",
        category="reward",
        title="Implicit reward",
        watch_for=(
            "A multiple of the log-ratio to the reference: it measures drift and not quality."
        ),
        related=("policy/kl_ref",),
        not_the_same_as=("reward/mean",),
    ),
    Metric(
        "reward/intrinsic_mean",
        meaning="Mean intrinsic (curiosity, RND) reward or return",
        unit="reward",
        direction="neutral",
        category="reward",
        title="Curiosity reward",
        watch_for=(
            "Should fade as the world becomes familiar. If it stays high, the agent may be "
            "watching noise."
        ),
        related=("reward/extrinsic_mean", "reward/intrinsic_coef"),
    ),
    Metric(
        "reward/extrinsic_mean",
        meaning="Mean environment part of the reward or return when an intrinsic part is added",
        unit="reward",
        direction="higher",
        category="reward",
        title="Environment reward",
        watch_for=(
            "The part that counts. Rising total with a flat extrinsic part: the agent lives on "
            "curiosity."
        ),
        related=("reward/intrinsic_mean", "outcome/return_mean"),
    ),
    Metric(
        "reward/intrinsic_coef",
        meaning="Weight of the intrinsic reward",
        unit="coefficient",
        direction="neutral",
        category="reward",
    ),
    Metric(
        "reward/trend",
        meaning=(
            "Change of the mean reward since the previous window (label window); positive is "
            "improving"
        ),
        unit="reward",
        direction="target",
        category="reward",
        title="Reward trend",
        healthy=(
            Band(
                0.0,
                None,
                why="each epoch should pay at least as much as the one before",
                source="TensorBoard Metrics Reference",
                context="a teacher's scores, per epoch; approaches 0 at convergence",
                tools=("teacher-tuner",),
            ),
        ),
        watch_for=(
            "Positive while the model improves, shrinking towards zero as it converges. Around "
            "zero from the start means no learning; negative over several windows means damage."
        ),
        related=("reward/mean", "optim/loss_trend"),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "reward/component_weight",
        meaning="Weight of one named criterion in the total score (label component)",
        unit="coefficient",
        direction="neutral",
        category="reward",
        title="Weight of a criterion",
        watch_for=(
            "A setting, not a result: the weights should add up to one and stay put within a "
            "run, or reward curves cannot be compared."
        ),
        related=("reward/component_mean",),
        documents=("TensorBoard Metrics Reference",),
    ),
    Metric(
        "reward/unclipped_mean",
        meaning="Mean reward before it is clipped or scaled for the update",
        unit="reward",
        direction="higher",
        category="reward",
        title="Reward before clipping",
        watch_for="Compare it with the mean reward: the difference is what clipping hides.",
        related=("reward/mean", "reward/clipped_fraction"),
        not_the_same_as=("reward/mean",),
    ),
    Metric(
        "reward/clipped_fraction",
        meaning="Share of rewards that were clipped",
        unit="ratio",
        direction="lower",
        category="reward",
        title="Clipped rewards",
        watch_for="A large share: rewards no longer differ, so there is less to learn from.",
        related=("reward/unclipped_mean",),
    ),
)
