"""Names that rl_games logs, and the metrics they are."""

from runvitals.model import Alias, Framework

PPO_A2C_CONTINUOUS_A2C_DISCR = ("PPO (a2c_continuous, a2c_discrete)", "SAC")
PPO_A2C_CONTINUOUS_A2C_DISCR_1 = ("PPO (a2c_continuous, a2c_discrete)",)
CENTRAL_VALUE = ("central value",)
ISAAC_OBSERVER = ("Isaac observer",)
USE_DIAGNOSTICS = ("use_diagnostics",)

FRAMEWORK = Framework(
    id="rl-games",
    title="rl_games",
    version="2.0.0 (commit 262cf20",
    kind="classic",
    aliases=(
        Alias(
            "performance/step_inference_rl_update_fps",
            "throughput/env_steps_per_s",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            note="with several agents time is multiplied by num_agents for the first two",
        ),
        Alias(
            "performance/step_inference_fps",
            "throughput/rollout_steps_per_s",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            note="with several agents time is multiplied by num_agents for the first two",
        ),
        Alias(
            "performance/step_fps",
            "throughput/sim_steps_per_s",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            note="with several agents time is multiplied by num_agents for the first two",
        ),
        Alias(
            "performance/rl_update_time",
            "time/policy_update_s",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            note="with several agents time is multiplied by num_agents for the first two",
        ),
        Alias(
            "performance/step_inference_time",
            "time/generation_s",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            note="with several agents time is multiplied by num_agents for the first two",
        ),
        Alias(
            "performance/step_time",
            "time/env_step_s",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            note="with several agents time is multiplied by num_agents for the first two",
        ),
        Alias("performance/total_fps", "throughput/env_steps_per_s", note="old releases"),
        Alias("performance/update_time", "time/policy_update_s", note="old releases"),
        Alias("performance/play_time", "time/generation_s", note="old releases"),
        Alias("losses/a_loss", "policy/loss", PPO_A2C_CONTINUOUS_A2C_DISCR),
        Alias(
            "losses/c_loss",
            "value/loss",
            PPO_A2C_CONTINUOUS_A2C_DISCR_1,
            note=(
                "values are normalised when normalize_value is on, so the number is in "
                "normalised units"
            ),
        ),
        Alias("losses/entropy", "policy/entropy", PPO_A2C_CONTINUOUS_A2C_DISCR, note="mean(H)"),
        Alias("losses/bounds_loss", "aux/loss", ("PPO continuous",), labels={"kind": "bounds"}),
        Alias("losses/{aux}", "aux/loss", PPO_A2C_CONTINUOUS_A2C_DISCR_1, labels={"kind": "{aux}"}),
        Alias("losses/cval_loss", "value/loss", CENTRAL_VALUE, labels={"critic": "central"}),
        Alias("info/cval_lr", "value/learning_rate", CENTRAL_VALUE),
        Alias("info/last_lr", "optim/learning_rate", PPO_A2C_CONTINUOUS_A2C_DISCR_1),
        Alias("info/lr_mul", None, PPO_A2C_CONTINUOUS_A2C_DISCR_1),
        Alias("info/e_clip", "policy/clip_range", PPO_A2C_CONTINUOUS_A2C_DISCR_1),
        Alias(
            "info/kl",
            "policy/approx_kl",
            ("PPO continuous", "PPO discrete"),
            note=(
                "PPO continuous: estimator exact KL(new||old); direction is KL(new||old); PPO "
                "discrete: estimator k2; mean(0.5*(log r)^2)"
            ),
        ),
        Alias("info/epochs", "progress/step", PPO_A2C_CONTINUOUS_A2C_DISCR),
        Alias(
            "rewards/step",
            "outcome/return_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            note="about 100 episodes, weighted running mean; x axis: step",
        ),
        Alias(
            "shaped_rewards/step",
            "outcome/return_shaped_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR_1,
            note="x axis: step",
        ),
        Alias(
            "episode_lengths/step",
            "outcome/episode_length_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            note="x axis: step",
        ),
        Alias(
            "rewards/iter",
            "outcome/return_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            labels={"axis": "iter"},
            note="about 100 episodes, weighted running mean; x axis: iter",
        ),
        Alias(
            "shaped_rewards/iter",
            "outcome/return_shaped_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR_1,
            labels={"axis": "iter"},
            note="x axis: iter",
        ),
        Alias(
            "episode_lengths/iter",
            "outcome/episode_length_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            labels={"axis": "iter"},
            note="x axis: iter",
        ),
        Alias(
            "rewards/time",
            "outcome/return_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            labels={"axis": "time"},
            note="about 100 episodes, weighted running mean; x axis: time",
        ),
        Alias(
            "shaped_rewards/time",
            "outcome/return_shaped_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR_1,
            labels={"axis": "time"},
            note="x axis: time",
        ),
        Alias(
            "episode_lengths/time",
            "outcome/episode_length_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR,
            labels={"axis": "time"},
            note="x axis: time",
        ),
        Alias(
            "rewards{i}/{axis}",
            "outcome/return_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR_1,
            labels={"head": "{i}", "axis": "{axis}"},
        ),
        Alias(
            "scores/mean",
            "outcome/score_mean",
            PPO_A2C_CONTINUOUS_A2C_DISCR_1,
            note="also scores/iter and scores/time; battle_won makes it a win rate",
        ),
        Alias(
            "consecutive_successes/frame",
            "outcome/score_mean",
            note="of tasks that count them; also consecutive_successes/iter and /time",
        ),
        Alias("rewards/frame", "outcome/return_mean", note="old releases"),
        Alias("shaped_rewards/frame", "outcome/return_shaped_mean", note="old releases"),
        Alias("episode_lengths/frame", "outcome/episode_length_mean", note="old releases"),
        Alias("rewards0/frame", "outcome/return_mean", labels={"head": "0"}, note="old releases"),
        Alias(
            "Episode/rew_{name}",
            "reward/component_mean",
            ISAAC_OBSERVER,
            labels={"component": "{name}"},
        ),
        Alias(
            "Episode/Episode_Reward/{name}",
            "reward/component_mean",
            ISAAC_OBSERVER,
            labels={"component": "{name}"},
        ),
        Alias(
            "Episode/{key}",
            "env/metric",
            ISAAC_OBSERVER,
            labels={"name": "{key}"},
            note="x axis is the epoch, not frames",
        ),
        Alias("{key}/frame", "env/metric", ISAAC_OBSERVER, labels={"name": "{key}"}),
        Alias(
            "diagnostics/exp_var",
            "value/explained_variance",
            USE_DIAGNOSTICS,
            note=(
                "with masks the code divides by the variance of the PREDICTION instead of the "
                "return"
            ),
        ),
        Alias(
            "diagnostics/clip_frac/{mini_epoch}",
            "policy/clip_fraction",
            USE_DIAGNOSTICS,
            labels={"epoch": "{mini_epoch}"},
            note="with masks the masked values are not summed, so the number is far too small",
        ),
        Alias("diagnostics/rms_value/mean", "value/norm_mean", USE_DIAGNOSTICS),
        Alias("diagnostics/rms_value/var", "value/norm_std", USE_DIAGNOSTICS, transform="sqrt(x)"),
        Alias("diagnostics/rms_advantage/mean", "advantage/mean", USE_DIAGNOSTICS),
        Alias(
            "diagnostics/rms_advantage/var",
            "advantage/norm_scale",
            USE_DIAGNOSTICS,
            transform="sqrt(x)",
        ),
        Alias("losses/c1_loss", "value/loss", ("SAC",), labels={"critic": "1"}, note="mse"),
        Alias("losses/c2_loss", "value/loss", ("SAC",), labels={"critic": "2"}, note="mse"),
        Alias("losses/alpha_loss", "policy/entropy_coef_loss", ("SAC",)),
        Alias("info/alpha", "policy/entropy_coef", ("SAC",)),
        Alias("selfplay/iters_update_weigths", None, ("self-play",)),
        Alias("pbt/{param}", None, ("PBT",)),
        Alias("pbt/00_best_objective", "outcome/return_best", ("PBT",)),
    ),
)
