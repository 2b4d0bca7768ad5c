"""`runvitals explain` answers headings, signs, settings and words as five documents write them."""

import pytest

from runvitals.model import RunvitalsError
from runvitals.view.knowledge.look_up import look_up

SIGNS = {
    # Training Metrics and Telemetry
    "Return goes up, win rate stays flat": "Return rises, success stays flat",
    "Entropy collapses quickly": "Entropy collapses early",
    "entropy collapses too early": "Entropy collapses early",
    "Value loss explodes": "Value loss explodes",
    "value loss is huge or increasing": "Value loss explodes",
    "KL spikes": "KL spikes",
    "**KL spikes**": "KL spikes",
    "SPS suddenly drops": "Steps per second drop suddenly",
    "SPS drops": "Steps per second drop suddenly",
    "updates/sec is low": "Updates per second are low",
    "Too high: updates are too aggressive": "KL too high",
    "KL too high": "KL too high",
    "KL too low": "KL stays near zero",
    "Very high clip fraction": "Clip fraction high for long",
    "exploding values": "Policy loss explodes",
    "flatlining": "Policy loss is flat",
    "learning stalls": "Learning stalls",
    "sudden jumps of the episode length": "Episode length jumps",
    # RL Metrics table
    "over-optimization": "KL to the reference keeps rising",
    "under-training": "KL stays near zero",
    "ratio > 200": "Ratio far from one",
    "advantages skewed": "Advantages flip sign or spread wildly",
    # Training Monitoring Guide
    "Entropy collapse + low temperature": "Entropy collapses while the temperature is low",
    "High `approx_kl` but low reward": "High KL, low reward",
    "High approx_kl but low reward": "High KL, low reward",
    "Clipfrac near zero + slow learning": "Clip fraction near zero and slow learning",
    "Reward spikes without throughput improvement": "Reward spikes without better throughput",
    "total reward is negative while absolute score stays positive": (
        "Total reward negative, absolute score positive"
    ),
    "latency spikes": "Latency spikes with temperature suppression",
    "balance_penalty persistently high": "Balance penalty stays high",
    # Training Metrics Glossary
    "Reward crashes": "Reward crashes",
    "Eval stalls but reward rises": "Evaluation stalls while the reward rises",
    "Training is slow": "Training is slow",
    "OOM": "Out of memory",
    "margins increase but validation does not improve": "Margins grow, validation does not",
    "high RM accuracy but downstream PPO does not improve": (
        "Reward model is accurate, PPO does not improve"
    ),
    "margin approaches zero": "Reward-model margin approaches zero",
    "RM score behavior changes drastically across RM versions": (
        "Reward-model scores jump between versions"
    ),
    "num_turns/max suddenly becomes very large": "The most turns per rollout jump",
    "grad_norm spikes to 10×": "Gradient norm spikes to ten times its usual size",
    "high clip ratio": "Many responses are truncated",
    "high aborted ratio": "Many generations are aborted",
    "reward rises while response length collapses": (
        "Reward rises while responses collapse in length"
    ),
    "KL remains near zero for a long time": "KL stays near zero",
    "sustained high clip fraction": "Clip fraction high for long",
    "validation accuracy starts to drop": "Validation accuracy falls",
    "value loss never decreases": "Value loss never falls",
    "loss, KL, and gradient norm all spike together": "Loss, KL and gradient norm spike together",
    "large minmax_diff": "Work is spread unevenly over devices",
    "MFU below 30%": "Utilisation of FLOPs below 30 percent",
    "rewards/accuracy hits 99%+ but evaluation doesn't improve": (
        "Preference accuracy at 99 percent without better evaluation"
    ),
    # TensorBoard Metrics Reference
    "OOM warnings": "Main memory above 90 percent",
    "GPU utilization low": "GPU utilisation below 50 percent",
    # in nobody's words
    "my reward crashed tonight": "Reward crashes",
    "the value loss is exploding": "Value loss explodes",
    "responses get truncated": "Many responses are truncated",
    "entrpy collapses quickly": "Entropy collapses early",
}

LISTS = {
    "Early warning signs": 5,
    "7) Early warning signs (read this when something feels off)": 5,
    "Troubleshooting Signals": 4,
    "Training Problems": 5,
    "Common failure signs": 3,
}

# Heading or group, and the metrics that have to be there, in this order.
GROUPS = {
    "Optimization metrics (internal health)": "policy/loss value/loss policy/entropy "
    "policy/approx_kl optim/grad_norm",
    "Outcome metrics (what you actually care about)": "outcome/win_rate outcome/success_rate "
    "outcome/return_mean outcome/episode_length_mean",
    "3) Core RL metrics (what they mean)": "outcome/return_mean outcome/success_rate "
    "outcome/win_rate outcome/episode_length_mean",
    "4) PPO-specific health metrics": "policy/loss value/loss policy/entropy policy/approx_kl "
    "policy/clip_fraction",
    "Performance metrics": "throughput/env_steps_per_s throughput/updates_per_s",
    "Hyperparameter tracking": "optim/learning_rate policy/clip_range",
    "8) Minimum viable dashboard (start here)": "outcome/success_rate outcome/win_rate "
    "outcome/return_mean policy/entropy policy/approx_kl value/loss throughput/env_steps_per_s "
    "throughput/updates_per_s outcome/distance_to_goal outcome/collision_rate",
    "Policy Stability": "policy/clip_fraction policy/approx_kl policy/ratio_mean advantage/mean",
    "Losses": "policy/loss value/loss optim/loss",
    "Token Stats *(for RLHF)*": "length/prompt_mean length/response_mean length/response_std",
    "Log-Probs": "policy/logprob_mean policy/logprob_ref_mean",
    "2. Must-Watch Scalars": "policy/approx_kl policy/entropy policy/clip_fraction "
    "optim/grad_norm policy/temperature reward/component_mean",
    "3. Action Distribution Insight": "policy/action_share",
    "4. Temperature & Pressure": "policy/temperature control/pressure control/pulse_active",
    "Reward Breakdown": "reward/mean reward/component_mean",
    "Resume Metadata": "progress/chunks progress/requests",
    "CSV exports": "policy/approx_kl policy/clip_fraction policy/entropy policy/temperature",
    '1. Validation Metrics: "What Score Did You Get on the Final Exam?"': "eval/mean_at_n",
    '2. Actor Metrics: "Daily Homework and Practice"': "policy/loss_total policy/loss "
    "policy/entropy policy/kl_ref policy/kl_coef policy/grad_norm",
    '3. Critic / Reward Statistics: "Scores from the Teacher"': "value/loss value/mean "
    "advantage/mean advantage/std",
    "Length Metrics": "length/response_mean length/response_max length/response_clip_ratio "
    "length/prompt_mean length/prompt_clip_ratio length/aborted_ratio",
    'Preference Optimization Metrics (DPO/KTO/SimPO): "Report Card"': "preference/loss "
    "preference/chosen_reward preference/rejected_reward preference/margin preference/accuracy",
    'Reward Model (RM) Training Metrics: "Training the Judge"': "rm/loss rm/accuracy rm/margin "
    "rm/grad_norm",
    "Multi-Turn Interaction Metrics": "agent/turns_min agent/turns_max agent/turns_mean",
    "Load Balancing Metrics": "balance/seqlen_min balance/seqlen_max balance/seqlen_diff "
    "balance/seqlen_balanced_min balance/seqlen_balanced_max balance/seqlen_mean",
    "Timing Metrics": "time/step_s time/generation_s time/reward_s time/old_logprob_s "
    "time/ref_logprob_s time/advantage_s time/policy_update_s time/value_update_s "
    "time/weight_sync_s",
    "Finer-Grained Timing": "time/generation_sample_min_s time/tool_calls_s time/slowest_sample_s",
    "Per-Token Normalized Timing": "time/per_token_ms",
    "11. Framework Differences Note": "policy/entropy policy/kl_old policy/grad_norm",
    "PPO / GRPO Training": "eval/mean_at_n reward/mean policy/loss_total policy/grad_norm "
    "policy/kl_old policy/clip_fraction throughput/tokens_per_s_per_device time/generation_s "
    "length/response_mean length/response_clip_ratio balance/seqlen_diff",
    "DPO / KTO Training": "preference/margin preference/accuracy preference/loss "
    "preference/accuracy",
    "Reward Model Training": "rm/accuracy rm/margin eval/rm/accuracy rm/accuracy",
    "Effectiveness first": "eval/mean_at_n reward/mean preference/margin rm/accuracy",
    "Stability next": "policy/loss_total policy/grad_norm preference/loss",
    "Overfitting check": "preference/accuracy",
    "Training Metrics (`Train/`)": "policy/loss_total policy/loss policy/kl_loss reward/mean "
    "reward/std reward/min reward/max reward/var",
    "Epoch Metrics (`Epoch/`)": "reward/mean policy/loss_total reward/var reward/trend "
    "optim/loss_trend data/teacher_tokens data/samples_per_step",
    "Generation Performance": "throughput/generation_tokens_per_s time/generation_s",
    "Backpropagation Performance": "throughput/tokens_per_s",
    "Scoring Metrics (`Scoring/`)": "reward/component_weight",
    "System Metrics (`System/`)": "system/cpu_percent system/memory_percent "
    "system/gpu_utilization_percent",
    "CPU and Memory": "system/cpu_percent system/memory_percent system/memory_used_gb "
    "system/memory_available_gb system/process_memory_gb",
    "GPU/MPS Metrics": "system/gpu_memory_used_gb system/gpu_memory_total_gb "
    "system/gpu_memory_percent system/gpu_utilization_percent",
    "Key Metrics to Monitor": "reward/mean policy/loss_total reward/var reward/trend",
    "Training Health": "reward/mean policy/loss_total reward/var",
    "Performance Bottlenecks": "throughput/generation_tokens_per_s throughput/tokens_per_s",
    "System Resources": "system/gpu_utilization_percent system/memory_percent",
    "Convergence Indicators": "reward/trend optim/loss_trend",
    "Reward Analysis": "reward/mean reward/trend reward/var reward/std",
    "Loss Analysis": "policy/loss_total optim/loss_trend policy/loss policy/kl_loss",
    "Performance Analysis": "throughput/generation_tokens_per_s throughput/tokens_per_s",
    "System Health": "system/cpu_percent system/memory_percent system/gpu_utilization_percent "
    "system/gpu_memory_percent",
}

SETTINGS = {
    "entropy_min": "entropy_min",
    "clip_ratio": "clip_range",
    "clip_epsilon": "clip_range",
    "current_lr": "learning_rate",
    "beta": "reward_beta",
    "gamma": "gamma",
    "beta/gamma": "reward_beta",
    "qps_sensitivity": "qps_sensitivity",
    "min_temperature": "min_temperature",
    "monitoring": "monitoring",
    "metrics_export_enabled": "metrics_export_enabled",
    "target_kl": "target_kl",
    "kl_coef": "kl_coef",
    "max_grad_norm": "max_grad_norm",
    "max_response_length": "max_response_length",
    "max_prompt_length": "max_prompt_length",
    "entropy coefficient": "entropy_coef",
    "value coefficient": "value_coef",
    "lambda": "gae_lambda",
    "random seeds": "seed",
    "batch sizes": "batch_size",
    "PPO epochs": "epochs_per_batch",
    "learning rate": "learning_rate",
}

WORDS = {
    "Policy": "policy",
    "Policy (π)": "policy",
    "Value Function (V(s))": "value function",
    "Advantage": "advantage",
    "Advantage (A(s,a))": "advantage",
    "Return": "return",
    "Return (Gₜ)": "return",
    "Entropy": "entropy",
    "KL Divergence": "KL divergence",
    "Clipping": "clipping",
    "Clipping (PPO)": "clipping",
    "GAE": "GAE",
    "GAE (Generalized Advantage Estimation)": "GAE",
    "Explained Variance": "explained variance",
    "What Is MFU": "MFU",
    "MFU": "MFU",
    "SPS": "SPS",
    "EMA": "EMA",
    "reward hacking": "reward hacking",
    "Why metrics are not optional": "telemetry",
    "surrogate objective": "surrogate objective",
    "premature convergence": "premature convergence",
    "gradient explosion": "gradient explosion",
    "over-optimization": "over-optimisation",
    "Logging Outputs": "logging outputs",
    "OUTPUT_DIR/ppo_training.log": "training.log",
    "training_progress.json": "training_progress.json",
    "latest_checkpoint": "latest_checkpoint",
    "TensorBoard": "tensorboard",
    "Viewing Metrics in TensorBoard": "tensorboard",
    "reward_breakdown": "reward breakdown",
    "warmstart": "warm start",
    "pulses": "pulse",
    "chunk mode": "chunk mode",
    "Quick Reference": "scenario",
    "SFTTrainer": "TRL",
}


@pytest.mark.parametrize(("phrase", "sign"), SIGNS.items(), ids=list(SIGNS))
def test_a_sign_is_found_as_it_is_written(phrase, sign):
    answer = look_up(phrase, None, None)

    assert answer["kind"] == "symptom"
    assert sign in [one["sign"] for one in answer["symptoms"]][:2]
    assert all(one["check_first"] and one["advice"] for one in answer["symptoms"])


@pytest.mark.parametrize(("phrase", "count"), LISTS.items(), ids=list(LISTS))
def test_a_list_of_signs_is_whole(phrase, count):
    assert len(look_up(phrase, None, None)["symptoms"]) == count


@pytest.mark.parametrize(("phrase", "metrics"), GROUPS.items(), ids=list(GROUPS))
def test_a_section_lists_its_metrics_in_order(phrase, metrics):
    groups = look_up(phrase, None, None)["groups"]

    found = iter([one["metric"] for group in groups for one in group["metrics"]])

    assert all(metric in found for metric in metrics.split())  # consumes it: the order counts


@pytest.mark.parametrize(("phrase", "key"), SETTINGS.items(), ids=list(SETTINGS))
def test_a_setting_is_explained_under_its_name(phrase, key):
    answer = look_up(phrase, None, None)

    assert key in [one["key"] for one in answer["settings"]]
    assert all(one["meaning"] for one in answer["settings"])


@pytest.mark.parametrize(("phrase", "word"), WORDS.items(), ids=list(WORDS))
def test_a_word_is_defined(phrase, word):
    assert look_up(phrase, None, None)["term"]["word"] == word


@pytest.mark.parametrize(
    ("name", "metric"), [("pg_loss", "policy/loss"), ("minmax_diff", "balance/seqlen_diff")]
)
def test_the_end_of_a_known_name_is_enough(name, metric):
    answer = look_up(name, None, None)
    members = [one["metric"] for one in answer.get("members", [])]
    assert metric in (answer.get("metric"), *members)


def test_a_bare_loss_is_not_claimed_for_one_tool():
    assert look_up("Loss", None, None)["kind"] == "ambiguous"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("KL spkes", "KL spikes"),
        ("Reward Anlysis", "Reward analysis"),
        ("qps_sensitivty", "qps_sensitivity"),
        ("metrics_export_enable", "metrics_export_enabled"),
        ("Explaned Varience", "explained variance"),
        ("clipfrc", "clipfrac"),
        ("minimum viabel dashbord", "Minimum viable dashboard"),
    ],
)
def test_a_slip_of_the_pen_is_forgiven(typed, meant):
    with pytest.raises(RunvitalsError) as error:
        look_up(typed, None, None)

    assert "did you mean" in str(error.value)
    assert meant in str(error.value)
