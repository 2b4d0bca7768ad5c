"""The kind of training of a run, which decides which rules apply."""

from runvitals import catalog
from runvitals.model import Run

# kind: the wider families it belongs to
KINDS: dict[str, frozenset[str]] = {
    "on-policy": frozenset({"rl", "policy-gradient", "control"}),
    "off-policy": frozenset({"rl", "control"}),
    "llm-rl": frozenset({"rl", "policy-gradient", "llm"}),
    "preference": frozenset({"llm", "supervised"}),
    "reward-model": frozenset({"llm", "supervised"}),
    "sft": frozenset({"llm", "supervised"}),
}
# Families of algorithms in the catalog, and the kind of training each is.
OF_FAMILY = {
    "on-policy": "on-policy",
    "actor-critic": "off-policy",
    "q-learning": "off-policy",
    "llm-rl": "llm-rl",
    "preference": "preference",
    "reward-model": "reward-model",
    "supervised": "sft",
}
LAGGING = ("IMPALA",)  # actors act with older policies than the one that learns
# How names begin or end that the catalog does not know.
WORDS = {
    "llm-rl": ("GRPO", "RLHF", "TEACHER"),
    "off-policy": ("DQN", "SAC"),
    "preference": ("DPO",),
    "reward-model": ("REWARD",),
    "sft": ("SFT", "PRETRAIN", "FINETUN", "LM"),
    "on-policy": ("PPO", "PG"),
}
OF_A_POLICY = ("policy/", "advantage/", "value/", "reward/", "length/response")
LLM_SIGNS = (
    "length/response_mean",
    "policy/kl_ref",
    "policy/kl_ref_sequence",
    "policy/logprob_ref_mean",
    "reward/zero_std_fraction",
)


def algorithm_key(run: Run) -> str:
    """The algorithm in one spelling, whatever the log's: `dqn_atari` and `Deep Q` are `DQN`.

    In capitals, without spaces, hyphens and underscores; empty if unknown.
    """
    told = run.algorithm or ""
    plain = catalog.plain_algorithm(told) or told
    return "".join(mark for mark in plain.upper() if mark not in " -_.")


def kind_of(run: Run) -> str:
    """The kind of training: from the algorithm if it is known, else from what was logged.

    PPO and REINFORCE are two things: with responses or a reference model in the log, or written by a
    tool that trains nothing else, they are those of language models.
    """
    metrics = run.metrics()
    llm = any(sign in metrics for sign in LLM_SIGNS) or _trains_language_models(run.framework)
    algorithm = algorithm_key(run)
    kind = OF_FAMILY.get(catalog.algorithm_family(run.algorithm or "") or "")
    if algorithm in LAGGING:
        kind = "off-policy"
    elif kind is None:
        likely = (k for k, w in WORDS.items() if algorithm.startswith(w) or algorithm.endswith(w))
        kind = next(likely, None)
    if kind is not None:
        return "llm-rl" if kind == "on-policy" and llm else kind
    return _by_metrics(metrics, llm=llm)


def _trains_language_models(tool: str | None) -> bool:
    """True if this tool trains nothing but language models."""
    found = catalog.FRAMEWORKS.get(catalog.find_framework(tool) or "") if tool else None
    return found is not None and found.kind == "llm"


def _by_metrics(metrics: dict[str, list[str]], *, llm: bool) -> str:
    def any_of(*prefixes: str) -> bool:
        return any(metric.startswith(prefixes) for metric in metrics)

    if any_of("rm/"):  # a judge may be logged beside the policy that it scores
        return "llm-rl" if any_of(*OF_A_POLICY) else "reward-model"
    if any_of("preference/"):
        return "preference"
    if any_of("policy/approx_kl", "policy/clip_fraction", "policy/ratio", "advantage/"):
        return "llm-rl" if llm else "on-policy"
    if any_of("value/q_", "explore/epsilon", "replay/"):
        return "off-policy"
    if any_of("lm/"):
        return "sft"
    if llm and any_of("reward/"):
        return "llm-rl"
    return "unknown"
