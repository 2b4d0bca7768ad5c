"""Names that PyMARL and EPyMARL log, and the metrics they are.

Read off the sources of oxwhirl/pymarl at c971afd (2021) and uoe-agents/epymarl at cbc38c0 (2024): the
runners in `src/runners`, the learners in `src/learners`, and `src/run.py`. The battle's names come from
the environment, oxwhirl/smac. Forks keep these names.
"""

from runvitals.model import Alias, Framework

# Independent Q-learning, `iql` in their configs, is DQN for each agent; elsewhere IQL is another thing.
Q_LEARNERS = ("QMIX", "VDN", "QTRAN", "DQN")
Q_CRITICS = ("COMA", "MADDPG")
V_CRITICS = ("MAPPO", "IPPO", "MAA2C", "IA2C")
ACTOR_CRITICS = (*Q_CRITICS, *V_CRITICS)
PER_AGENT = "a mixer's joint value is divided by the number of agents"
OF_EPISODES = "mean of the episodes since it was logged last"
# The runners log each of these of training, and of tests with `test_` before it.
_OF_RUNNERS: tuple[tuple[str, str, str, dict[str, str], str, str], ...] = (
    ("return_mean", "outcome/return_mean", "eval/return_mean", {}, "", OF_EPISODES),
    ("return_std", "outcome/return_std", "eval/return_std", {}, "", ""),
    ("total_return_mean", "outcome/return_mean", "eval/return_mean", {}, "",
     "sum of the agents' returns; EPyMARL without a common reward"),
    ("total_return_std", "outcome/return_std", "eval/return_std", {}, "", ""),
    ("agent_{i}_return_mean", "outcome/return_mean", "eval/return_mean", {"agent": "{i}"}, "", ""),
    ("agent_{i}_return_std", "outcome/return_std", "eval/return_std", {"agent": "{i}"}, "", ""),
    ("battle_won_mean", "outcome/success_rate", "eval/success_rate", {}, "",
     "battles won against the game's own AI, not in self-play"),
    ("ep_length_mean", "outcome/episode_length_mean", "eval/episode_length_mean", {}, "", ""),
    ("episode_limit_mean", "outcome/termination_rate", "eval/outcome/termination_rate", {}, "1 - x",
     "share of episodes that the time limit ended"),
)  # fmt: skip
_OF_BATTLES = ("dead_allies_mean", "dead_enemies_mean")

FRAMEWORK = Framework(
    id="pymarl",
    title="PyMARL and EPyMARL",
    version="PyMARL of 2021, EPyMARL 2.0",
    names=("epymarl", "pymarl2", "pymarl3"),
    kind="classic",
    marks=("test_return_mean ep_length_mean", "test_battle_won_mean", "coma_loss"),
    aliases=(
        *(
            Alias(name, metric, labels=labels, transform=transform, note=note)
            for name, metric, _, labels, transform, note in _OF_RUNNERS
        ),
        *(
            Alias(f"test_{name}", metric, labels=labels, transform=transform)
            for name, _, metric, labels, transform, _ in _OF_RUNNERS
        ),
        *(Alias(f"{test}{name}", None) for name in _OF_BATTLES for test in ("", "test_")),
        Alias("epsilon", "explore/epsilon"),
        Alias("episode", "progress/episodes"),
        Alias("loss", "value/loss", ("QMIX", "VDN", "DQN"), note="mean squared TD error"),
        Alias(
            "loss", "optim/loss", ("QTRAN",), note="td_loss and the weighted opt and nopt losses"
        ),
        Alias("grad_norm", "optim/grad_norm", Q_LEARNERS, note="before clipping"),
        Alias("td_error_abs", "value/td_error"),
        Alias("q_taken_mean", "value/q_mean", (*Q_LEARNERS[:2], "DQN"), note=PER_AGENT),
        Alias("q_taken_mean", "value/q_mean", Q_CRITICS),
        Alias(
            "q_taken_mean", "value/mean", V_CRITICS, note="EPyMARL: a state value, despite its name"
        ),
        Alias("target_mean", "value/q_target_mean", (*Q_LEARNERS[:2], "DQN"), note=PER_AGENT),
        Alias("target_mean", "value/q_target_mean", Q_CRITICS),
        Alias("target_mean", "returns/mean", V_CRITICS, note="n-step returns"),
        Alias("td_loss", "value/loss", ("QTRAN",)),
        Alias("opt_loss", None, ("QTRAN",)),
        Alias("nopt_loss", None, ("QTRAN",)),
        Alias("td_chosen_qs", "value/q_mean", ("QTRAN",), note="of the joint action"),
        Alias("agent_indiv_qs", "value/q_mean", ("QTRAN",), labels={"of": "single agents"}),
        Alias("td_targets", None, ("QTRAN",), note="the mean TD error, despite its name"),
        Alias("v_mean", "value/mean", ("QTRAN",)),
        Alias("critic_loss", "value/loss", ACTOR_CRITICS, note="mean squared TD error"),
        Alias("critic_grad_norm", "value/grad_norm", ACTOR_CRITICS, note="before clipping"),
        Alias("agent_grad_norm", "policy/grad_norm", ACTOR_CRITICS, note="before clipping"),
        Alias("advantage_mean", "advantage/mean", ("COMA", *V_CRITICS)),
        Alias(
            "pi_max", None, ("COMA", *V_CRITICS), note="mean probability of the likeliest action"
        ),
        Alias("coma_loss", "policy/loss_total", ("COMA",), note="PyMARL's has no entropy term"),
        Alias("pg_loss", "policy/loss", (*V_CRITICS, "MADDPG"), note="with the entropy term"),
        Alias("entropy_coef", "policy/entropy_coef", ("PAC",)),
        Alias("Mask_Sum_Zero", None, note="the batch had nothing to learn from"),
    ),
)
