"""What a person sees, where to look first and next, and what it often means.

An entry of a page is the sign and the fields of a `Symptom`, with `check: first, ...; then ...`; its
source stands behind the advice.
"""

from collections.abc import Iterator, Mapping

from runvitals.catalog.definitions.pages import entries, fields, items, phrases, with_source
from runvitals.catalog.definitions.symptoms import learning, systems
from runvitals.catalog.resolving.wording import stems, text_of_heading, wordings_like
from runvitals.model import Symptom

__all__ = ["SYMPTOMS", "SYMPTOMS_BY_SUBJECT", "find_symptoms", "same_symptoms"]

_FIELDS = ("check", "likely", "advice", "also", "rules", "lists")


def _symptoms(page: str) -> Iterator[Symptom]:
    for sign, lines in entries(page):
        known = dict.fromkeys(_FIELDS, "") | fields(lines, *_FIELDS)
        first, _, then = known["check"].partition("; then ")
        yield Symptom(
            sign,
            items(first),
            items(then),
            known["likely"],
            *with_source(known["advice"]),
            phrases(known["also"]),
            items(known["rules"]),
            phrases(known["lists"]),
        )


SYMPTOMS_BY_SUBJECT: Mapping[str, tuple[Symptom, ...]] = {
    subject: tuple(_symptoms(page))
    for subject, page in {
        "outcome and reward": learning.OUTCOME,
        "policy": learning.POLICY,
        "critic": learning.CRITIC,
        "language models": systems.LANGUAGE_MODELS,
        "machines and schedulers": systems.MACHINES,
    }.items()
}
SYMPTOMS: tuple[Symptom, ...] = tuple(
    one for symptoms in SYMPTOMS_BY_SUBJECT.values() for one in symptoms
)


def same_symptoms(text: str) -> list[Symptom]:
    """Symptoms with exactly this meaning, or all symptoms of a list with this title.

    >>> [one.sign for one in same_symptoms("SPS suddenly drops")]
    ['Steps per second drop suddenly']
    >>> [one.sign for one in same_symptoms("Troubleshooting Signals")][:2]
    ['Reward spikes without better throughput', 'High KL, low reward']
    """
    plain = text_of_heading(text)
    listed = [
        one for one in SYMPTOMS if plain.casefold() in (name.casefold() for name in one.lists)
    ]
    wanted = stems(plain)
    return listed or [
        one for one in SYMPTOMS if wanted and wanted in map(stems, (one.sign, *one.also))
    ]


def find_symptoms(text: str) -> list[Symptom]:
    """Symptoms whose words a text has, nearest first; whole sentences may have a few words more.

    >>> [symptom.sign for symptom in find_symptoms("kl spike")]
    ['KL spikes', 'Loss, KL and gradient norm spike together']
    >>> find_symptoms("my rewards crashed last night")[0].sign
    'Reward crashes'
    """
    choices = [(one, (one.sign, *one.also)) for one in SYMPTOMS]
    return [one for one, _ in wordings_like(text_of_heading(text), choices)]
