"""What a person sees, where to look first and next, and what it often means."""

from __future__ import annotations

import re

from runvitals.model import Symptom

__all__ = ["SYMPTOMS", "find_symptoms"]

_GLOSSARY = "Training Metrics Glossary"
_GUIDE = "Training Monitoring Guide"
_TELEMETRY = "Training Metrics and Telemetry"
_TABLE = "RL Metrics table"
_REFERENCE = "TensorBoard Metrics Reference"

SYMPTOMS: tuple[Symptom, ...] = (
    Symptom(
        "Return rises, success stays flat",
        ("outcome/return_mean", "outcome/success_rate", "outcome/win_rate"),
        ("outcome/episode_length_mean", "reward/component_mean"),
        "reward hacking, or a success metric that measures something else",
        "watch episodes; look for the part of the reward that grows; fix the reward before tuning",
        _TELEMETRY,
    ),
    Symptom(
        "Entropy collapses early",
        ("policy/entropy",),
        ("policy/entropy_coef", "optim/learning_rate", "policy/approx_kl"),
        "the policy turned deterministic before it had explored",
        "raise the entropy coefficient, lower the learning rate, check the reward scale",
        _TELEMETRY,
    ),
    Symptom(
        "Value loss explodes",
        ("value/loss",),
        ("value/explained_variance", "returns/std", "value/grad_norm"),
        "an unstable critic, or returns computed wrongly",
        "check reward scale and return computation, lower the critic's learning rate, clip",
        _TELEMETRY,
    ),
    Symptom(
        "KL spikes",
        ("policy/approx_kl", "policy/kl_old", "policy/kl_ref"),
        ("optim/learning_rate", "policy/learning_rate", "policy/clip_fraction"),
        "learning rate too high, too many epochs per batch, or a schedule that is wrong",
        "lower the learning rate, use fewer epochs per batch, set target_kl",
        f"{_TELEMETRY}; {_GLOSSARY}",
    ),
    Symptom(
        "Steps per second drop suddenly",
        ("throughput/env_steps_per_s",),
        ("time/env_step_s", "system/memory_percent", "system/cpu_percent"),
        "a regression in the pipeline: logging, contention, memory pressure",
        "compare stage times before and after; look at what else runs on the machine",
        _TELEMETRY,
    ),
    Symptom(
        "Updates per second are low",
        ("throughput/updates_per_s",),
        ("system/gpu_utilization_percent", "time/data_s"),
        "an underused GPU (batch too small), or data that arrives too slowly",
        "enlarge the batch; profile the data pipeline",
        _TELEMETRY,
    ),
    Symptom(
        "Policy loss is flat",
        ("policy/loss", "advantage/std"),
        ("policy/grad_norm", "reward/zero_std_fraction"),
        "no learning signal: equal rewards, or advantages of zero",
        "check that rewards differ between samples",
        _TELEMETRY,
    ),
    Symptom(
        "KL stays near zero",
        ("policy/approx_kl", "policy/kl_ref"),
        ("optim/learning_rate", "policy/clip_fraction", "advantage/std"),
        "updates too small to learn anything",
        "raise the learning rate, loosen the clip range, check the advantages",
        f"{_TELEMETRY}; {_GLOSSARY}; {_TABLE}",
    ),
    Symptom(
        "KL to the reference keeps rising",
        ("policy/kl_ref", "policy/kl_ref_sequence"),
        ("policy/kl_coef", "reward/score_mean", "eval/mean_at_n"),
        "over-optimisation of the reward",
        "raise the KL coefficient, stop earlier",
        _TABLE,
    ),
    Symptom(
        "Entropy collapses while the temperature is low",
        ("policy/entropy", "policy/temperature"),
        ("control/pressure", "control/pulse_active"),
        "the temperature controller suppresses too much",
        "lower qps_sensitivity or raise min_temperature",
        _GUIDE,
    ),
    Symptom(
        "High KL, low reward",
        ("policy/approx_kl", "reward/mean"),
        ("policy/kl_coef", "reward/component_mean"),
        "the policy diverges",
        "tighten the KL limit, or look again at the reward weights",
        _GUIDE,
    ),
    Symptom(
        "Clip fraction near zero and slow learning",
        ("policy/clip_fraction", "reward/mean"),
        ("optim/learning_rate", "policy/kl_coef"),
        "updates could be larger",
        "raise the learning rate, or lower the KL coefficient",
        _GUIDE,
    ),
    Symptom(
        "Clip fraction high for long",
        ("policy/clip_fraction",),
        ("optim/learning_rate", "policy/approx_kl"),
        "learning rate too high, or batches too small and noisy",
        "lower the learning rate or the clip range; enlarge the batch",
        f"{_GUIDE}; {_GLOSSARY}",
    ),
    Symptom(
        "Reward spikes without better throughput",
        ("reward/mean", "reward/component_mean"),
        ("env/metric",),
        "a part of the reward masks the penalty that matters, such as latency",
        "read the reward breakdown part by part",
        _GUIDE,
    ),
    Symptom(
        "Total reward negative, absolute score positive",
        ("reward/mean", "reward/component_mean"),
        (),
        "the delta part punishes every small regression too hard",
        "tune the weights of the delta part",
        _GUIDE,
    ),
    Symptom(
        "Reward crashes",
        ("policy/entropy",),
        ("policy/clip_fraction", "policy/approx_kl"),
        "a collapsed policy, or updates that are too large",
        "go back to the last good checkpoint, lower the learning rate, keep more entropy",
        _GLOSSARY,
    ),
    Symptom(
        "Evaluation stalls while the reward rises",
        ("length/response_mean", "eval/mean_at_n"),
        ("length/aborted_ratio", "reward/component_mean"),
        "reward hacking, often by length, or generations that fail",
        "read samples; check what the reward pays for",
        _GLOSSARY,
    ),
    Symptom(
        "Training is slow",
        ("time/step_s", "time/generation_s", "time/policy_update_s"),
        ("throughput/tokens_per_s_per_device", "balance/seqlen_diff"),
        "one slow stage, or uneven load over the devices",
        "improve the slowest stage first",
        _GLOSSARY,
    ),
    Symptom(
        "Out of memory",
        ("balance/seqlen_max",),
        ("length/response_max", "length/prompt_max", "system/gpu_memory_percent"),
        "one rank holds too many tokens, or single sequences are too long",
        "cap lengths, use dynamic batches, balance the load",
        _GLOSSARY,
    ),
    Symptom(
        "Gradient norm spikes to ten times its usual size",
        ("policy/grad_norm", "optim/grad_norm"),
        ("optim/learning_rate", "optim/loss"),
        "exploding gradients, a bad batch, or numerical trouble",
        "look at that batch; lower the learning rate; check precision and clipping",
        _GLOSSARY,
    ),
    Symptom(
        "Loss, KL and gradient norm spike together",
        ("optim/learning_rate", "policy/learning_rate"),
        ("policy/approx_kl", "policy/grad_norm"),
        "a change of the learning-rate schedule",
        "check the schedule at that step",
        _GLOSSARY,
    ),
    Symptom(
        "Value loss never falls",
        ("value/loss", "value/explained_variance"),
        ("returns/mean", "value/mean"),
        "reward scale or masks are wrong, or the critic is too small",
        "check the scale of the returns and the masks; give the critic more capacity",
        _GLOSSARY,
    ),
    Symptom(
        "Many responses are truncated",
        ("length/response_clip_ratio", "length/prompt_clip_ratio"),
        ("length/response_mean",),
        "limits too low, or answers that grow without end",
        "raise the limits, or shorten the inputs",
        _GLOSSARY,
    ),
    Symptom(
        "Reward rises while responses collapse in length",
        ("length/response_mean", "reward/score_mean"),
        ("eval/mean_at_n",),
        "reward hacking through a length bias",
        "read samples; remove the length bias from the reward",
        _GLOSSARY,
    ),
    Symptom(
        "Margins grow, validation does not",
        ("preference/margin", "preference/accuracy"),
        ("eval/preference/accuracy", "eval/loss"),
        "overfitting of the training pairs",
        "stop earlier, raise beta, add data",
        _GLOSSARY,
    ),
    Symptom(
        "Preference accuracy at 99 percent without better evaluation",
        ("preference/accuracy",),
        ("eval/preference/accuracy", "eval/score_mean"),
        "overfitting",
        "stop earlier; use fewer epochs",
        _GLOSSARY,
    ),
    Symptom(
        "Reward model is accurate, PPO does not improve",
        ("rm/accuracy", "eval/rm/accuracy"),
        ("reward/score_mean", "eval/mean_at_n"),
        "the reward model overfits, or is not aligned with real quality",
        "test it on fresh pairs and on outputs of the current policy",
        _GLOSSARY,
    ),
    Symptom(
        "Reward-model margin approaches zero",
        ("rm/margin",),
        ("rm/accuracy", "rm/score_std"),
        "the judge no longer discriminates",
        "check labels and learning rate; train it anew",
        _GLOSSARY,
    ),
    Symptom(
        "Reward-model scores jump between versions",
        ("rm/score_mean", "rm/score_std"),
        ("rm/accuracy",),
        "the judge was trained on outputs of the policy it judges",
        "compare the versions on one fixed set of samples",
        _GLOSSARY,
    ),
    Symptom(
        "The most turns per rollout jump",
        ("agent/turns_max",),
        ("agent/tool_failure_rate", "agent/turn_limit_rate"),
        "loops, or tools that fail and are retried",
        "read the longest rollout; cap retries",
        _GLOSSARY,
    ),
    Symptom(
        "Many generations are aborted",
        ("length/aborted_ratio",),
        ("rollout/waiting_requests", "rollout/preemptions_mean"),
        "trouble in sampling or in the inference engine",
        "look at the engine's own log",
        _GLOSSARY,
    ),
    Symptom(
        "Utilisation of FLOPs below 30 percent",
        ("throughput/mfu",),
        ("balance/seqlen_diff", "time/data_s", "time/wait_s"),
        "waiting for communication, for data, or for the slowest rank",
        "find out what the devices wait for",
        _GLOSSARY,
    ),
    Symptom(
        "Validation accuracy falls",
        ("eval/mean_at_n", "eval/score_mean"),
        ("policy/approx_kl", "policy/entropy", "reward/score_mean"),
        "unstable training, or a reward that measures the wrong thing",
        "settle which of the two it is before touching the optimiser",
        _GLOSSARY,
    ),
    Symptom(
        "Episode length jumps",
        ("outcome/episode_length_mean",),
        ("outcome/return_mean", "outcome/success_rate", "outcome/termination_rate"),
        "a change of behaviour, good or bad by what the task wants",
        "watch one episode from before and one from after the jump",
        _TELEMETRY,
    ),
    Symptom(
        "Policy loss explodes",
        ("policy/loss", "policy/grad_norm"),
        ("policy/ratio_max", "advantage/std", "optim/learning_rate"),
        "unstable updates: ratios or advantages of enormous size",
        "lower the learning rate, normalise advantages, clip gradients",
        f"{_TELEMETRY}; {_GLOSSARY}",
    ),
    Symptom(
        "Advantages flip sign or spread wildly",
        ("advantage/mean", "advantage/std"),
        ("value/explained_variance", "value/loss", "reward/std"),
        "a critic that lags behind, or rewards without a common scale",
        "normalise advantages per batch; check the critic and the reward scale",
        f"{_GLOSSARY}; {_TABLE}",
    ),
    Symptom(
        "Most actions go to one choice",
        ("policy/action_share",),
        ("policy/entropy", "policy/temperature", "reward/component_mean"),
        "early collapse, or a warm start that did not take, unless the workload wants it so",
        "look at the first part of the run; raise entropy or temperature",
        _GUIDE,
    ),
    Symptom(
        "Balance penalty stays high",
        ("reward/component_mean",),
        ("policy/action_share",),
        "the penalty is too weak against the other parts of the reward",
        "raise the load-balance penalties",
        _GUIDE,
    ),
    Symptom(
        "Temperature leaves its range",
        ("policy/temperature", "control/pulse_active"),
        ("control/pressure", "reward/trend"),
        "a pulse, which is meant to break stagnation; outside pulses a controller that is set wrong",
        "check that pulses fall into phases without progress; check the bounds",
        _GUIDE,
    ),
    Symptom(
        "Generation below one token a second",
        ("throughput/generation_tokens_per_s",),
        ("system/gpu_utilization_percent", "time/generation_s"),
        "generation on the wrong device, or without an inference engine",
        "use an engine made for the hardware, such as MLX on Apple silicon or vLLM on NVIDIA",
        _REFERENCE,
    ),
    Symptom(
        "Main memory above 90 percent",
        ("system/memory_percent",),
        ("system/process_memory_gb", "replay/size", "data/samples_per_step"),
        "a leak, or buffers and batches too large for the machine",
        "find out whether it grows; shrink buffers, workers or batches before it is killed",
        _REFERENCE,
    ),
)

_WORD = re.compile(r"[a-z0-9]+")
_SHORT = {"oom": "out of memory", "mfu": "utilisation of flops", "sps": "steps per second"}
_EMPTY = frozenset("the a an is are of and in to at it while but for stays goes".split())


def find_symptoms(text: str) -> list[Symptom]:
    """Symptoms whose sign has all the words of a text, in any order.

    >>> [symptom.sign for symptom in find_symptoms("kl spike")]
    ['KL spikes', 'Loss, KL and gradient norm spike together']
    """
    plain = text.casefold().strip()
    wanted = _stems(_SHORT.get(plain, plain))
    return [one for one in SYMPTOMS if wanted and wanted <= _stems(one.sign)]


def _stems(text: str) -> frozenset[str]:
    found = (word for word in _WORD.findall(text.casefold()) if word not in _EMPTY)
    return frozenset(word.removesuffix("s") for word in found)
