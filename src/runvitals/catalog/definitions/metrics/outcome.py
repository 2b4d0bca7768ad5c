"""Metrics of what the run is for: return, success, length of an episode."""

from runvitals.model import Metric

METRICS = (
    Metric(
        "outcome/return_mean",
        meaning="Mean undiscounted episode return",
        unit="reward",
        direction="higher",
        category="outcome",
        title="Average episode return",
        watch_for=(
            "Rising usually means learning. It may also mean that the agent found a way to be "
            "paid without doing the task, so read it beside the success rate. A value frozen to "
            "many digits is not a plateau: no episode has ended since."
        ),
        related=(
            "outcome/success_rate",
            "outcome/episode_length_mean",
            "eval/return_mean",
            "outcome/return_std",
        ),
        not_the_same_as=("returns/mean", "reward/mean"),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "outcome/return_std",
        meaning="Standard deviation of episode return",
        unit="reward",
        direction="neutral",
        category="outcome",
        title="Spread of episode returns",
        watch_for=(
            "A large spread early is normal. A spread that stays large while the mean rises "
            "often means two behaviours side by side."
        ),
        related=("outcome/return_mean",),
    ),
    Metric(
        "outcome/return_min",
        meaning="Lowest episode return in the window",
        unit="reward",
        direction="higher",
        category="outcome",
        title="Worst episode",
        watch_for="Failures that the mean hides.",
        related=("outcome/return_mean", "outcome/return_std"),
    ),
    Metric(
        "outcome/return_max",
        meaning="Highest episode return in the window",
        unit="reward",
        direction="higher",
        category="outcome",
        title="Best episode",
        watch_for=(
            "Shows what exploration has found. Far above the mean: the policy can do it, but not "
            "reliably yet."
        ),
        related=("outcome/return_mean",),
        not_the_same_as=("outcome/return_best",),
    ),
    Metric(
        "outcome/return_median",
        meaning="Median episode return",
        unit="reward",
        direction="higher",
        category="outcome",
        title="Median episode return",
        watch_for="The usual episode. Below the mean: a few very good episodes carry it.",
        related=("outcome/return_mean",),
    ),
    Metric(
        "outcome/episode_length_mean",
        meaning="Mean number of steps per episode",
        unit="step",
        direction="neutral",
        category="outcome",
        title="Episode length",
        watch_for=(
            "Good or bad depends on the task: shorter is better when a goal has to be reached, "
            "longer when the agent has to survive. A sudden jump means that behaviour changed; "
            "look at what the agent does."
        ),
        related=("outcome/return_mean", "outcome/termination_rate"),
        not_the_same_as=("length/response_mean",),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "outcome/episode_length_min",
        meaning="Shortest episode",
        unit="step",
        direction="neutral",
        category="outcome",
        title="Shortest episode",
        watch_for=(
            "Stuck at a few steps: some episodes end at once. Check resets and termination rules."
        ),
        related=("outcome/episode_length_mean", "outcome/termination_rate"),
    ),
    Metric(
        "outcome/episode_length_max",
        meaning="Longest episode",
        unit="step",
        direction="neutral",
        category="outcome",
        title="Longest episode",
        watch_for=(
            "At the time limit: episodes are truncated, so values have to be bootstrapped there."
        ),
        related=("outcome/episode_length_mean", "outcome/termination_rate"),
    ),
    Metric(
        "outcome/success_rate",
        meaning="Share of episodes or samples that met the success condition",
        unit="ratio",
        direction="higher",
        category="outcome",
        title="Success rate",
        watch_for=(
            "The closest thing to the truth about the task. If the return climbs and this stays "
            "flat, suspect reward hacking or a metric that measures something else. Smooth it "
            "(an exponential moving average) before judging small moves."
        ),
        related=("outcome/return_mean", "outcome/win_rate", "eval/success_rate"),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "outcome/win_rate",
        meaning="Share of games or comparisons won",
        unit="ratio",
        direction="higher",
        category="outcome",
        title="Win rate",
        watch_for=(
            "Noisy over few games: read the moving average. In self-play a flat 50 percent can "
            "hide progress on both sides; use a rating then."
        ),
        related=("outcome/success_rate", "outcome/elo", "outcome/return_mean"),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "outcome/score_mean",
        meaning="Mean task score that is not the training reward",
        unit="score",
        direction="higher",
        category="outcome",
        title="Task score",
        watch_for=(
            "A score of the task that the learner is not paid for, which makes it a good "
            "witness against reward hacking."
        ),
        related=("outcome/success_rate", "reward/mean"),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "outcome/episode_count",
        meaning=(
            "Episodes finished in the reporting window, that is the sample size behind the "
            "outcome means"
        ),
        unit="episode",
        direction="neutral",
        category="outcome",
        title="Episodes behind the mean",
        watch_for=(
            "The sample size of the outcome numbers. Means over a handful of episodes move by "
            "chance."
        ),
        related=("outcome/return_mean",),
    ),
    Metric(
        "outcome/episode_length_std",
        meaning="Standard deviation of episode length",
        unit="step",
        direction="neutral",
        category="outcome",
        title="Spread of episode length",
        watch_for=(
            "Two habits in one policy, such as falling early or surviving to the limit, make it "
            "wide."
        ),
        related=("outcome/episode_length_mean",),
    ),
    Metric(
        "outcome/return_discounted_mean",
        meaning="Mean discounted episode return",
        unit="reward",
        direction="higher",
        category="outcome",
        title="Discounted return",
        watch_for=(
            "What the critic predicts: compare it with the mean value, not with the plain return."
        ),
        related=("value/mean", "outcome/return_mean"),
        not_the_same_as=("outcome/return_mean",),
    ),
    Metric(
        "outcome/return_shaped_mean",
        meaning="Mean episode return after reward shaping or scaling, as the learner sees it",
        unit="reward",
        direction="higher",
        category="outcome",
        title="Shaped return",
        watch_for=(
            "What the learner is paid. If it rises and the plain return does not, the shaping is "
            "being farmed."
        ),
        related=("outcome/return_mean", "outcome/success_rate"),
        not_the_same_as=("outcome/return_mean",),
    ),
    Metric(
        "outcome/return_best",
        meaning="Best mean return reached so far (monotone by construction)",
        unit="reward",
        direction="higher",
        category="outcome",
        title="Best return so far",
        watch_for=(
            "Can only rise, so it looks healthy even after a collapse. Read the current mean "
            "beside it."
        ),
        related=("outcome/return_mean",),
        not_the_same_as=("outcome/return_max",),
    ),
    Metric(
        "outcome/termination_rate",
        meaning="Share of episodes that ended in a terminal state instead of a time limit",
        unit="ratio",
        direction="neutral",
        category="outcome",
        title="Episodes that ended by themselves",
        watch_for=(
            "Good or bad by task: reaching a goal and falling over both terminate. A rate near "
            "zero means that the time limit ends everything."
        ),
        related=("outcome/episode_length_mean", "outcome/success_rate"),
    ),
    Metric(
        "outcome/elo",
        meaning="Self-play rating of the learning agent",
        unit="elo",
        direction="higher",
        category="outcome",
        title="Self-play rating",
        watch_for=(
            "Relative to the pool of opponents: it can rise while play against outsiders gets no "
            "better. Test against fixed opponents too."
        ),
        related=("outcome/win_rate", "eval/win_rate"),
    ),
    Metric(
        "outcome/exploitability",
        meaning="What a best response wins against the learned strategies; 0 in an equilibrium",
        unit="payoff",
        direction="lower",
        category="outcome",
        title="Exploitability",
        watch_for=(
            "The truth in games of two: a win rate against its own past can rise while this does "
            "not fall. Of averaged strategies it falls steadily, of the last ones it may cycle."
        ),
        related=("outcome/win_rate", "outcome/elo"),
    ),
    Metric(
        "outcome/distance_to_goal",
        meaning="Mean distance to the goal at the end of an episode",
        unit="distance",
        direction="lower",
        category="outcome",
        title="Distance to the goal",
        watch_for=(
            "A domain metric worth adding after the basics: it falls before the success rate rises."
        ),
        related=("outcome/success_rate", "outcome/collision_rate"),
        documents=("Training Metrics and Telemetry",),
    ),
    Metric(
        "outcome/collision_rate",
        meaning="Share of episodes with a collision",
        unit="ratio",
        direction="lower",
        category="outcome",
        title="Collision rate",
        watch_for="A domain metric that catches a policy that is fast because it is careless.",
        related=("outcome/success_rate", "outcome/distance_to_goal"),
        documents=("Training Metrics and Telemetry",),
    ),
)
