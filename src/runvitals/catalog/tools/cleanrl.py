"""Names that CleanRL logs, and the metrics they are."""

from runvitals.model import Alias, Framework

PPO_PETTINGZOO_MA_ATARI = ("ppo_pettingzoo_ma_atari",)
PPO_ATARI_ENVPOOL_XLA_JAX = ("ppo_atari_envpool_xla_jax",)
PPO_PPO_ATARI_PPO_CONTINUOUS = (
    "ppo",
    "ppo_atari",
    "ppo_continuous_action",
    "ppo_atari_lstm",
    "ppo_atari_envpool",
    "ppo_atari_multigpu",
    "ppo_procgen",
    "ppo_pettingzoo_ma_atari",
    "ppo_rnd_envpool",
    "ppg_procgen",
    "rpo_continuous_action",
    "ppo_trxl",
    "isaacgym",
)
PPO_RND_ENVPOOL = ("ppo_rnd_envpool",)
SAC_TD3_DDPG = ("sac", "td3", "ddpg")

FRAMEWORK = Framework(
    id="cleanrl",
    title="CleanRL",
    version="2.0.0b1 (commit fe8d8a0)",
    kind="classic",
    aliases=(
        Alias(
            "charts/episodic_return",
            "outcome/return_mean",
            note=(
                "single episode; several points can share one step; some off-policy scripts "
                "log only the first environment that finished in a step; IsaacGym script logs "
                "only in the first 3 rollout steps"
            ),
        ),
        Alias("charts/episodic_length", "outcome/episode_length_mean", note="single episode"),
        Alias(
            "charts/episodic_return-player{i}",
            "outcome/return_mean",
            PPO_PETTINGZOO_MA_ATARI,
            labels={"player": "{i}"},
            note="single episode",
        ),
        Alias(
            "charts/episodic_length-player{i}",
            "outcome/episode_length_mean",
            PPO_PETTINGZOO_MA_ATARI,
            labels={"player": "{i}"},
            note="single episode",
        ),
        Alias(
            "charts/avg_episodic_return",
            "outcome/return_mean",
            ("ppo_atari_envpool_xla_jax", "ppo_rnd_envpool", "pqn_atari_envpool"),
            labels={"window": "recent"},
            note="last episode of each env, or last 20",
        ),
        Alias(
            "charts/avg_episodic_length",
            "outcome/episode_length_mean",
            PPO_ATARI_ENVPOOL_XLA_JAX,
            labels={"window": "recent"},
        ),
        Alias("charts/learning_rate", "optim/learning_rate", PPO_PPO_ATARI_PPO_CONTINUOUS),
        Alias(
            "charts/SPS",
            "throughput/env_steps_per_s",
            note="cumulative average; counts learning time",
        ),
        Alias(
            "charts/SPS_update",
            "throughput/env_steps_per_s",
            PPO_ATARI_ENVPOOL_XLA_JAX,
            labels={"window": "update"},
            note="int(num_envs*num_steps/iteration time)",
        ),
        Alias(
            "charts/epsilon",
            "explore/epsilon",
            ("dqn", "dqn_atari", "dqn_jax", "c51", "c51_atari", "c51_jax", "pqn", "qdagger"),
            note="dqn and c51 up to 1.0",
        ),
        Alias("charts/beta", "replay/priority_beta", ("rainbow_atari",), always=True),
        Alias("charts/entropy_coefficient", "policy/entropy_coef", ("ppo_trxl",)),
        Alias("charts/episode_curiosity_reward", "reward/intrinsic_mean", PPO_RND_ENVPOOL),
        Alias("charts/consecutive_successes", "outcome/success_rate", ("isaacgym",)),
        Alias("charts/distill_coeff", None, ("qdagger",), always=True),
        Alias("charts/teacher/avg_episodic_return", None, ("qdagger",)),
        Alias(
            "charts/offline/loss",
            "optim/loss",
            ("qdagger",),
            labels={"phase": "offline"},
            note="q_loss + distill_loss",
        ),
        Alias(
            "charts/offline/q_loss",
            "value/loss",
            ("qdagger",),
            labels={"phase": "offline"},
            note="mse",
        ),
        Alias(
            "charts/offline/distill_loss", "distill/loss", ("qdagger",), labels={"phase": "offline"}
        ),
        Alias(
            "charts/offline/avg_episodic_return",
            "eval/return_mean",
            ("qdagger",),
            labels={"phase": "offline"},
        ),
        Alias(
            "losses/value_loss",
            "value/loss",
            PPO_PPO_ATARI_PPO_CONTINUOUS,
            note="factor 0.5 included, vf_coef not; ppo_trxl omits the 0.5",
        ),
        Alias("losses/policy_loss", "policy/loss", PPO_PPO_ATARI_PPO_CONTINUOUS),
        Alias(
            "losses/entropy",
            "policy/entropy",
            PPO_PPO_ATARI_PPO_CONTINUOUS,
            note="variable is called entropy_loss in the code but is the plain entropy",
        ),
        Alias(
            "losses/old_approx_kl",
            "policy/kl_old",
            PPO_PPO_ATARI_PPO_CONTINUOUS,
            note="estimator k1; can be negative",
        ),
        Alias(
            "losses/approx_kl",
            "policy/approx_kl",
            (*PPO_PPO_ATARI_PPO_CONTINUOUS, *PPO_ATARI_ENVPOOL_XLA_JAX),
            note=(
                "estimator k3; preferred over old_approx_kl; target_kl stops after the epoch "
                "when approx_kl > target_kl (no factor 1.5)"
            ),
        ),
        Alias(
            "losses/clipfrac",
            "policy/clip_fraction",
            (
                "ppo",
                "ppo_atari",
                "ppo_continuous_action",
                "ppo_atari_lstm",
                "ppo_atari_envpool",
                "ppo_atari_multigpu",
                "ppo_procgen",
                "ppo_pettingzoo_ma_atari",
                "ppg_procgen",
                "rpo_continuous_action",
                "ppo_trxl",
                "isaacgym",
            ),
            note="mean(|r-1|>eps)",
        ),
        Alias(
            "losses/explained_variance",
            "value/explained_variance",
            (
                "ppo",
                "ppo_atari",
                "ppo_continuous_action",
                "ppo_atari_lstm",
                "ppo_atari_envpool",
                "ppo_atari_multigpu",
                "ppo_procgen",
                "ppo_pettingzoo_ma_atari",
                "ppg_procgen",
                "rpo_continuous_action",
                "ppo_trxl",
            ),
            note="1-Var(R-V)/Var(R), NaN if Var(R)=0",
        ),
        Alias(
            "losses/loss",
            "optim/loss",
            ("ppo_atari_envpool_xla_jax", "ppo_trxl", "qdagger"),
            note=(
                "ppo_atari_envpool_xla_jax: pg - ent_coef*H + vf_coef*v; qdagger: q_loss + "
                "coeff*distill"
            ),
        ),
        Alias(
            "losses/loss",
            "value/loss",
            ("c51", "c51_atari", "c51_jax"),
            note="-sum target*log pred",
        ),
        Alias(
            "losses/td_loss",
            "value/loss",
            ("dqn", "dqn_atari", "dqn_jax", "pqn", "qdagger", "rainbow_atari"),
            note="dqn: logged every 100 steps, one batch; rainbow_atari: mean(w*CE)",
        ),
        Alias(
            "losses/q_values",
            "value/q_mean",
            (
                "dqn",
                "dqn_atari",
                "dqn_jax",
                "c51",
                "c51_atari",
                "c51_jax",
                "rainbow_atari",
                "pqn",
                "qdagger",
            ),
        ),
        Alias("losses/qf1_values", "value/q_mean", SAC_TD3_DDPG, labels={"critic": "1"}),
        Alias(
            "losses/qf2_values",
            "value/q_mean",
            ("sac", "td3"),
            labels={"critic": "2"},
            always=True,
        ),
        Alias("losses/qf1_loss", "value/loss", SAC_TD3_DDPG, labels={"critic": "1"}, note="mse"),
        Alias("losses/qf2_loss", "value/loss", ("sac", "td3"), labels={"critic": "2"}, note="mse"),
        Alias(
            "losses/qf_loss",
            "value/loss",
            ("sac", "td3"),
            note="the optimised loss is the sum, the logged one is half of it",
        ),
        Alias("losses/actor_loss", "policy/loss_total", ("sac",)),
        Alias("losses/actor_loss", "policy/loss", ("td3", "ddpg")),
        Alias("losses/alpha", "policy/entropy_coef", ("sac",), always=True),
        Alias(
            "losses/alpha_loss",
            "policy/entropy_coef_loss",
            ("sac",),
            note="uses alpha, SB3 uses log_alpha",
        ),
        Alias("losses/fwd_loss", "aux/loss", PPO_RND_ENVPOOL, labels={"kind": "rnd"}),
        Alias("losses/distill_loss", "distill/loss", ("qdagger",)),
        Alias(
            "losses/reconstruction_loss",
            "aux/loss",
            ("ppo_trxl",),
            labels={"kind": "reconstruction"},
        ),
        Alias("losses/aux/kl_loss", "aux/loss", ("ppg_procgen",), labels={"kind": "ppg_kl"}),
        Alias(
            "losses/aux/aux_value_loss",
            "aux/loss",
            ("ppg_procgen",),
            labels={"kind": "ppg_aux_value"},
        ),
        Alias(
            "losses/aux/real_value_loss",
            "value/loss",
            ("ppg_procgen",),
            labels={"phase": "aux"},
            note="0.5*mse",
        ),
        Alias("episode/{key}_mean", "env/metric", ("ppo_trxl",), labels={"name": "{key}"}),
        Alias("episode/value_mean", "value/mean", ("ppo_trxl",)),
        Alias("episode/advantage_mean", "advantage/mean", ("ppo_trxl",)),
        Alias(
            "eval/episodic_return",
            "eval/return_mean",
            ("scripts with save_model",),
            note="single episode; step is the episode index 0..9, not global_step",
        ),
    ),
)
