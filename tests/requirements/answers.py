"""What `runvitals explain` says about an item, without what changes with every new tool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.requirements.items import Document

from runvitals.view.knowledge.look_up import look_up

FOLDER = Path(__file__).parent / "answers"
MOST = 12  # names of a family


def questions(document: Document) -> list[tuple[str, str]]:
    """What is asked for this document, and the words it is asked for; each question once."""
    found: dict[str, str] = {}
    for item in document.items:
        for play in item.plays:
            if play.how == "explain":
                found.setdefault(play.what, item.text)
    return list(found.items())


def kept(document: Document) -> dict[str, str]:
    """The answers as a person has read them, by question."""
    text = (FOLDER / f"{document.key}.txt").read_text(encoding="utf-8")
    blocks = [block.partition("\n") for block in text.split("\n\n") if block.startswith("? ")]
    return {head.removeprefix("? "): body.rstrip("\n") for head, _, body in blocks}


def keep(document: Document) -> None:
    """Write the answers of today, for a person to compare with the document."""
    blocks = [f"? {asked}\n{answer_to(asked, document)}" for asked, _ in questions(document)]
    head = f"What `runvitals explain` says to what is asked for {document.title}."
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{document.key}.txt").write_text(
        "\n\n".join([head, *blocks]) + "\n", encoding="utf-8"
    )


def answer_to(asked: str, document: Document) -> str:
    """The gist of an answer, a line for each thing it says."""
    return "\n".join(_gist(look_up(asked, None, None), document.title))


def _gist(answer: dict[str, Any], title: str) -> Iterator[str]:
    kind = answer["kind"]
    if answer.get("term"):
        yield f"{answer['term']['word']}: {answer['term']['definition']}"
    if kind == "metric":
        yield f"{answer['metric']} ({answer['unit']}): {answer['meaning']}"
        yield from _bands(answer["healthy"], title)
        if answer["watch_for"]:
            yield f"watch for: {answer['watch_for']}"
        for one in answer.get("settings", ()):
            yield f"also a setting: {one['meaning']}. {one['note']}".rstrip()
    elif kind == "symptom":
        for one in answer["symptoms"]:
            yield f"sign: {one['sign']}; often: {one['likely']}; try: {one['advice']}"
            for key in ("check_first", "then_check"):
                if one[key]:
                    yield f"{key}: {', '.join(each['metric'] for each in one[key])}"
    elif kind == "list":
        for group in answer["groups"]:
            members = ", ".join("/".join(one["names"]) or one["metric"] for one in group["metrics"])
            yield f"{answer['title']}, {group['title']}: {group['note']} {members}".rstrip()
    elif kind == "setting":
        for one in answer["settings"]:
            yield f"setting {one['key']}: {one['meaning']}. {one['note']}".rstrip()
    elif kind == "family":
        for one in answer["members"][:MOST]:
            yield f"{one['name']}: {one['meaning']}"
    elif kind == "tool":
        for row in answer["names"]:
            yield f"{row['meaning']}: {', '.join(one['name'] for one in row['names'])}"
    else:
        claims = {one["metric"]: one["meaning"] for one in answer["candidates"] if one["metric"]}
        yield from (f"may be {metric}: {meaning}" for metric, meaning in claims.items())
        yield from _bands(answer["healthy"], title)


def _bands(bands: list[dict[str, Any]], title: str) -> Iterator[str]:
    """The ranges that the document itself gives."""
    for band in bands:
        if title in band["source"]:
            yield f"healthy: {band['low']} to {band['high']}, {band['why']}"
