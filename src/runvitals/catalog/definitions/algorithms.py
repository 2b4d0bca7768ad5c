"""Algorithms by any of their spellings: the plain name, the family, and whether two are the same."""

import re
from collections.abc import Collection, Iterator
from functools import cache

_WORDS = re.compile(r"[a-z0-9]+(?:\+\+)?")
_ENDS = re.compile(r"(?:trainer|config|policy|agent|args|arguments)$")

# The plain names of the algorithms of each family and, where they differ from it in more than case,
# hyphens and blanks, their other spellings.
_TABLE = """
on-policy = PPO: ppo1 ppo2 ppov2 proximalpolicyoptimization ppoclip; A2C: advantageactorcritic;
  A3C; TRPO: trpompi trustregionpolicyoptimization; VPG: vanillapolicygradient; NPG; NPO;
  IMPALA: vtrace; APPO; MaskablePPO: ppomask; RecurrentPPO: ppolstm ppornn; RPO; POCA: mapoca;
  ACKTR; ACER; NLPO; MAPPO; IPPO; COMA: counterfactualmultiagent; MAA2C; IA2C; PPG; AMP; ARS; CEM;
  MARWIL
llm-rl = GRPO: grouprelativepolicyoptimization; RLOO: reinforceleaveoneout;
  REINFORCE++: reinforceplusplus reinforcepp; DAPO; GSPO; CISPO; REINFORCE: policygradient;
  AsyncGRPO; GMPO; Dr. GRPO: drgrpo; GDPO; VAPO; ReMax; OPO; DDPO
actor-critic = SAC: softactorcritic; TD3: twindelayedddpg; DDPG: deepdeterministicpolicygradient;
  TQC; CrossQ; REDQ; DiscreteSAC: sacdiscrete; CQL; IQL; D4PG; MPO; WPO; MADDPG
q-learning = DQN: deepq deepqnetwork deepqlearning;
  DDQN: doubledqn doubledeepq d3qn duelingdqn duelingddqn; QR-DQN: quantile; C51: categoricaldqn;
  Rainbow: fullrainbow rainbowdqn; IQN; FQF; PQN; QDagger; QMIX; VDN: valuedecompositionnetworks;
  QTRAN
preference = DPO: directpreferenceoptimization; KTO; ORPO; SimPO; CPO; BCO; TPO; OnlineDPO; NashMD;
  XPO; IPO
reward-model = reward model: rm reward rewardmodelling rewardmodeling; PRM
supervised = SFT: supervisedfinetuning finetuning instructiontuning; pre-training: pt pretrain;
  LoRA; QAT; RFT
distillation = Distillation: asyncdistillation; GKD; KD; OPD: onpolicydistillation; GOLD
"""
_SPELLINGS = {
    family: {
        plain: others for plain, _, others in (name.partition(": ") for name in names.split("; "))
    }
    for family, _, names in (
        line.partition(" = ") for line in _TABLE.strip().replace("\n  ", " ").splitlines()
    )
}
# Words that name an algorithm only when they stand alone, and those that do so only where somebody
# names one: in a path they mean anything.
_ALONE = frozenset("reward rm pt quantile amp gold kd".split())
_ELSEWHERE_TOO = _ALONE | frozenset(
    "lora rainbow cem ars policygradient npo opo wpo mpo rpo distillation finetuning "
    "vtrace pretrain pretraining".split()
)
# What is a kind of what: where a log fits all of them it is the plain one.
_KIND_OF = {
    "MaskablePPO": "PPO", "RecurrentPPO": "PPO", "RPO": "PPO", "PPG": "PPO", "IPPO": "PPO",
    "MAPPO": "PPO", "APPO": "PPO", "MAA2C": "A2C", "IA2C": "A2C", "MADDPG": "DDPG", "QMIX": "DQN",
    "VDN": "DQN", "QTRAN": "DQN", "TQC": "SAC", "CrossQ": "SAC", "DiscreteSAC": "SAC",
    "REDQ": "SAC", "DDQN": "DQN", "QR-DQN": "DQN", "C51": "DQN", "Rainbow": "DQN", "IQN": "DQN",
    "FQF": "DQN", "PQN": "DQN", "QDagger": "DQN", "D4PG": "DDPG", "AsyncGRPO": "GRPO",
    "GSPO": "GRPO", "DAPO": "GRPO", "CISPO": "GRPO", "GMPO": "GRPO", "Dr. GRPO": "GRPO",
    "GDPO": "GRPO", "RLOO": "GRPO", "IPO": "DPO", "OnlineDPO": "DPO", "SimPO": "DPO", "CPO": "DPO",
    "ORPO": "DPO", "TPO": "DPO", "PRM": "reward model", "LoRA": "SFT",
    "pre-training": "SFT", "QAT": "SFT", "RFT": "SFT",
}  # fmt: skip
_FAMILIES = {plain: family for family, names in _SPELLINGS.items() for plain in names}
_PLAIN = {
    spelling: plain
    for names in _SPELLINGS.values()
    for plain, others in names.items()
    for spelling in (re.sub(r"[^a-z0-9+]", "", plain.lower()), *others.split())
}


@cache
def words_of(tag: str) -> frozenset[str]:
    """The words of a tag or of a user's hint, lower case.

    >>> sorted(words_of("PPO (csv)"))
    ['csv', 'ppo']
    """
    return frozenset(_WORDS.findall(tag.lower()))


@cache
def plain_algorithm(text: str) -> str | None:
    """The algorithm that a word, a tag or a class name means, in its plain spelling, or None.

    Of several the first counts, and two words that name one together come before either.

    >>> plain_algorithm("ppo_continuous_action"), plain_algorithm("QR-DQN"), plain_algorithm("deepq")
    ('PPO', 'QR-DQN', 'DQN')
    >>> plain_algorithm("GRPOTrainer"), plain_algorithm("my own") is None
    ('GRPO', True)
    """
    spoken = _spoken(text)
    if spoken == ["gae"]:
        return "PPO"  # veRL names the estimator of the advantage
    whole = _PLAIN.get("".join(spoken))
    return whole or next((found for joined, found in _found(spoken) if joined not in _ALONE), None)


def named_in(text: str) -> set[str]:
    """All algorithms named in a path or title, ignoring words that also mean other things.

    >>> sorted(named_in("runs/DQN_2")), sorted(named_in("qwen-sft-then-grpo")), named_in("reward_v2")
    (['DQN'], ['GRPO', 'SFT'], set())
    """
    return {plain for joined, plain in _found(_spoken(text)) if joined not in _ELSEWHERE_TOO}


def _spoken(text: str) -> list[str]:
    return [_ENDS.sub("", word) or word for word in _WORDS.findall(text.lower())]


def _found(spoken: list[str]) -> Iterator[tuple[str, str]]:
    """Known spellings among some words, those of several words first."""
    place = 0
    while place < len(spoken):
        for length in (3, 2, 1):
            joined = "".join(spoken[place : place + length])
            if joined in _PLAIN and place + length <= len(spoken):
                yield joined, _PLAIN[joined]
                place += length - 1
                break
        place += 1


def common_kind(algorithms: Collection[str]) -> str | None:
    """The algorithm that all the others are variants of.

    >>> common_kind({"PPO", "MaskablePPO"}), common_kind({"SAC", "TQC"}), common_kind({"SAC", "TD3"})
    ('PPO', 'SAC', None)
    """
    roots = {_KIND_OF.get(one, one) for one in algorithms}
    if len(roots) == 1 and (len(algorithms) == 1 or roots & set(algorithms)):
        return next(iter(algorithms)) if len(algorithms) == 1 else roots.pop()
    return None


def plainest(algorithms: Collection[str]) -> set[str]:
    """The algorithms without variants of another one among them.

    >>> sorted(plainest({"PPO", "MaskablePPO", "A2C"}))
    ['A2C', 'PPO']
    """
    return {one for one in algorithms if _KIND_OF.get(one) not in algorithms}


@cache
def family_of(tag: str, kind: str) -> str | None:
    """The family of algorithms a tag names; PPO is another thing for language models.

    >>> family_of("PPO", "classic"), family_of("PPO", "llm"), family_of("SimPO", "llm")
    ('on-policy', 'llm-rl', 'preference')
    """
    if kind == "llm" and words_of(tag) & {"rl", "nemo"}:
        return "llm-rl"
    plain = plain_algorithm(tag)
    if plain is None:
        return None
    if plain == "PPO" and kind == "llm":
        return "llm-rl"
    if plain == "REINFORCE" and kind == "classic":
        return "on-policy"
    return _FAMILIES[plain]


def algorithm_family(name: str) -> str | None:
    """The family of an algorithm in any spelling, in games rather than texts where it is in both.

    >>> algorithm_family("dqn_atari"), algorithm_family("PPO"), algorithm_family("simpo")
    ('q-learning', 'on-policy', 'preference')
    """
    return family_of(name, "classic")


def families_of(algorithm: str | None) -> frozenset[str]:
    """The families an algorithm's name may mean; PPO means two."""
    kinds = ("llm", "classic") if algorithm else ()
    return frozenset(f for kind in kinds if (f := family_of(algorithm or "", kind)))


@cache
def match_level(hint: str, tag: str) -> int:
    """How well a tag fits a hint: 3 the same, 2 one names the other, 0 not at all.

    >>> match_level("ppo", "PPO"), match_level("GRPO", "async GRPO"), match_level("DPO", "PPO")
    (3, 2, 0)
    """
    if hint.casefold() == tag.casefold():
        return 3
    a, b = words_of(hint), words_of(tag)
    if a and (a <= b or b <= a):
        return 2
    plain = plain_algorithm(hint)
    return 2 if plain is not None and plain == plain_algorithm(tag) else 0
