"""Algorithm tags of aliases: which ones a hint means, and which family they belong to."""

from __future__ import annotations

import re
from functools import cache

_WORDS = re.compile(r"[a-z0-9+]+")

_FAMILIES: dict[str, str] = {
    word: family
    for family, words in {
        "on-policy": "a2c a3c trpo vpg npg npo impala appo maskableppo recurrentppo rpo poca acktr "
        "acer ppo2 ppo1 trpo_mpi nlpo mappo ippo ppg amp ars cem marwil",
        "llm-rl": "grpo rloo reinforce++ dapo gspo cispo reinforce asyncgrpo gmpo drgrpo gdpo vapo "
        "remax opo ddpo nemo",
        "actor-critic": "sac td3 ddpg tqc crossq redq discretesac cql iql d4pg mpo wpo",
        "q-learning": "dqn qrdqn c51 rainbow iqn fqf deepq ddqn pqn quantile fullrainbow qdagger",
        "preference": "dpo kto orpo simpo cpo bco tpo onlinedpo nashmd xpo ipo",
        "reward-model": "rm reward prm",
        "supervised": "sft pt lora qat rft",
        "distillation": "distillation gkd kd opd gold asyncdistillation",
    }.items()
    for word in words.split()
}


@cache
def words_of(tag: str) -> frozenset[str]:
    """The words of a tag or of a user's hint, lower case.

    >>> sorted(words_of("PPO (csv)"))
    ['csv', 'ppo']
    """
    return frozenset(_WORDS.findall(tag.lower()))


@cache
def family_of(tag: str, kind: str) -> str | None:
    """The family of algorithms a tag names; PPO is another thing for language models.

    >>> family_of("PPO", "classic"), family_of("PPO", "llm"), family_of("SimPO", "llm")
    ('on-policy', 'llm-rl', 'preference')
    """
    for word in sorted(words_of(tag)):
        if word == "ppo":
            return "llm-rl" if kind == "llm" else "on-policy"
        if word == "rl" and kind == "llm":
            return "llm-rl"
        if word in _FAMILIES:
            return _FAMILIES[word]
    return None


@cache
def match_level(hint: str, tag: str) -> int:
    """How well a tag fits a hint: 3 the same, 2 one names the other, 0 not at all.

    >>> match_level("ppo", "PPO"), match_level("GRPO", "async GRPO"), match_level("DPO", "PPO")
    (3, 2, 0)
    """
    if hint.casefold() == tag.casefold():
        return 3
    a, b = words_of(hint), words_of(tag)
    return 2 if a and (a <= b or b <= a) else 0
