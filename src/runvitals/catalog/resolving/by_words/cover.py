"""Which phrase of `concepts` covers a name, with every other word of it accounted for."""

from __future__ import annotations

from runvitals.catalog.resolving.by_words.concepts import CONCEPTS, Concept
from runvitals.catalog.resolving.by_words.domain import Domain
from runvitals.catalog.resolving.by_words.parse import STATISTICS, Parsed
from runvitals.catalog.resolving.names import words
from runvitals.catalog.resolving.structure import VAGUE

# Words that say where or how a number was logged and change nothing about what it is.
HARMLESS = words(
    "train metrics metric charts default info stats stat misc diagnostics main learner learners "
    "scalars scalar summary the of in to at is current latest last model agent online global local "
    "log logs monitor minibatch mini over across and each history my custom debugger debug overall "
    "sim profile pure "
    "ppo grpo a2c a3c sac td3 ddpg dqn trpo dpo kto orpo simpo rloo rlhf rl reinforce vpg mappo "
    "standard performance perf runner runners worker workers objective smooth mean"
)
# Harmless in front of the last segment only: there they change what is counted.
_IN_FRONT = words(
    "episode iteration step epoch update rollout env environment final batch loss policy value reward "
    "time optimizer sampling throughput system data progress score entropy advantage length actor "
    "critic learning network coef s exploration token response generation all running"
)
# Words that make it another quantity unless a phrase has them.
CHANGES = words(
    "reference old target teacher student baseline random human opponent expert demo best initial rm "
    "discriminator intrinsic extrinsic aux auxiliary world raw shaped normalized normalised scaled "
    "discounted penalty bonus coef scale weight histogram hist threshold limit budget planned expected "
    "delta change improved improvement difference correlation correction corr gap ratio fraction num "
    "total per offpolicy offline mismatch speed center format positive negative pass true false "
    "incorrect"
)
_COUNTED = words("iteration episode timestep")
_LOSS_IS_A_FOLDER = frozenset(
    frozenset(phrase.split())
    for phrase in ("entropy", "kl", "approx kl", "clip fraction", "policy entropy")
)


def covering(parsed: Parsed) -> tuple[Concept, bool] | None:
    """The one longest phrase that covers the name, and whether all of its words are explained."""
    tail = frozenset(parsed.tail)
    found = _phrases_in(tail, parsed.words)
    if not found:
        return None
    longest = max(map(len, found))
    top = [concept for phrase, concept in found.items() if len(phrase) == longest]
    if any(other.meanings != top[0].meanings for other in top[1:]):
        return None
    phrase = top[0].phrase
    head = frozenset(parsed.head) - phrase
    if head & CHANGES or ("time" in head and not _is_time(top[0])):
        return None
    if "time" in phrase and "time" not in tail and tail & _COUNTED and len(phrase) == 2:
        return None  # `time/episodes` counts episodes, `time/step` times a step: nobody can tell
    if "alpha" in tail and "loss" in parsed.head:
        return None
    strange = head - HARMLESS - _IN_FRONT - set(STATISTICS)
    if strange and (_is_time(top[0]) or (phrase <= VAGUE and len(phrase) < 3)):
        return None
    return top[0], not strange


def _phrases_in(tail: frozenset[str], every: frozenset[str]) -> dict[frozenset[str], Concept]:
    """Phrases of a name's words that take in part of its last word and leave nothing strange there."""
    found: dict[frozenset[str], Concept] = {}
    for word in every:
        for concept in CONCEPTS.get(word, ()):
            phrase = concept.phrase
            if phrase <= every and phrase & tail and _left_is_harmless(tail - phrase):
                found[phrase] = concept
    if len(found) > 1 and "loss" not in tail:
        # `Loss/entropy` is the entropy, in a folder of losses
        bare = {phrase: one for phrase, one in found.items() if "loss" not in phrase}
        if any(phrase in _LOSS_IS_A_FOLDER or len(phrase & tail) > 1 for phrase in bare):
            return bare
    return found


def _left_is_harmless(left: frozenset[str]) -> bool:
    return all(word in STATISTICS or word in HARMLESS for word in left)


def _is_time(concept: Concept) -> bool:
    return all(
        base.startswith(("time/", "throughput/", "progress/")) for _, base in concept.meanings
    )


def meaning(concept: Concept, domain: Domain) -> str | None:
    """The metric that a phrase is in this kind of training, without its statistic; or None."""
    found = next((base for tag, base in concept.meanings if tag == "*" or tag in domain), None)
    return None if found == "none" else found
