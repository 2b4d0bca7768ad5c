"""What the site changes in the pages, and how it is packed for `runvitals guide --open`."""

from __future__ import annotations

import html
import json
import math
import re
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from runvitals.catalog import SYMPTOMS_BY_SUBJECT
from runvitals.model import Symptom
from runvitals.rules.registry import rules

OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:examples|benchmarks|README|CONTRIBUTING)[^)]*\)")
DRAWING = re.compile(r"^```mermaid\n.*?^```\n", re.DOTALL | re.MULTILINE)
PROMPT = re.compile(r"^    \$ ", re.MULTILINE)
RULE_HEADING = re.compile(r"^## ([A-Z]+\d{3}) .*\n", re.MULTILINE)
REPORT_LINK = re.compile(r'^<a href="gallery/(.+?)\.html">.*', re.MULTILINE)
CURVES = json.loads(
    (Path(__file__).parent / "curves.json").read_text()
)  # benchmarks.lab.site_curves
# by rule, or by family: why a small training on one machine does not show it
NO_CURVE = {
    "END": "it looks at how the process ended",
    "PRE": "it looks at the network before and during the first updates",
    "EXP": "it looks at what the script itself said to expect",
    "SIB": "it looks at a whole group of runs",
    "NET": "it looks inside a network, with what `rv.watch` records of a PyTorch model",
    "PERF006": "nothing is logged any more, so that there is nothing to draw",
    "PERF002": "it takes a learner and rollout workers that wait for each other",
    "PERF004": "it takes an engine that generates many samples at a time",
    "MIS004": "it takes an engine for rollouts whose numbers differ from the trainer's",
    "MIS006": "it takes a queue between rollouts and training",
    "LOAD005": "it takes several processes, one of which falls silent",
    "SYS001": "it takes a run that fills the memory of its machine",
    "SYS002": "it takes a GPU",
    "EVAL003": "it looks at what was never measured",
    "TEXT005": "it takes a language model that can refuse",
    "TEXT008": "it takes a language model that knows several languages",
}
COLOURS = 128  # of a picture: curves and screens need no more, and half of the bytes
WIDTH, HEIGHT, EDGE = 320, 96, 6
LOG_SCALE = 1000.0  # from this ratio of highest to lowest on, a linear scale would show one point


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Add the curves, and leave out what the site does not have.

    Files outside of docs/ are shown by their names. Drawings would need a script from elsewhere; the
    lists beneath them say the same. Prompts would be copied along with their commands.
    """
    text = DRAWING.sub("", OUTSIDE.sub(r"`\1`", PROMPT.sub("    ", markdown)))
    place = page.file.src_uri
    if place == "reference/symptoms.md":
        head = text.partition("\n## ")[0]
        return "\n".join([head, "", *_symptom_cards(), *_rule_cards()])
    if place.startswith("reference/rules/"):
        return RULE_HEADING.sub(lambda found: f"{found[0]}\n{figure(found[1])}\n", text)
    if place == "gallery.md":
        return REPORT_LINK.sub(lambda found: f"{figure(found[1])}\n\n{found[0]}", text)
    return text


def _symptom_cards() -> Iterator[str]:
    for subject, symptoms in SYMPTOMS_BY_SUBJECT.items():
        yield f"## {subject.capitalize()}\n"
        for one in symptoms:
            yield f"### {one.sign}\n"
            yield figure(curve_for(one)) + "\n"
            yield f"- **Look first at** {_names(one.check_first)}"
            if one.then_check:
                yield f"- **Then at** {_names(one.then_check)}"
            yield f"- **Often it is** {one.likely}"
            yield f"- **Try:** {one.advice}"
            yield f"- **Rules:** {', '.join(map(_rule_link, one.rules))}\n"


def curve_for(symptom: Symptom) -> str:
    """The rule whose curve shows a symptom: the first that stands for it and has one."""
    return next((code for code in symptom.rules if code in CURVES), symptom.rules[0])


def _rule_cards() -> Iterator[str]:
    yield "## Every rule\n"
    yield "What each rule looks for, on a run in which it found it. The codes lead to the whole page.\n"
    for code, rule in rules().items():
        yield f"**{_rule_link(code)}** {rule.title}\n"
        yield figure(code) + "\n"


def _rule_link(code: str) -> str:
    rule = rules()[code]
    family = rule.check.__module__.removeprefix("runvitals.rules.").partition(".")[0]
    return f"[{code}](rules/{family}.md#{code.lower()}-{rule.name})"


def _names(ids: tuple[str, ...]) -> str:
    return ", ".join(f"`{one}`" for one in ids)


# curves


def figure(key: str) -> str:
    """A curve as inline SVG with its caption; a sentence for a rule that looks at no series."""
    if key not in CURVES:
        return f"*{without_curve(key)}*"
    one = CURVES[key]
    series, fault = html.escape(one["series"]), html.escape(one["fault"])
    said = html.escape(one["message"])
    beside = "; grey: the same training without the fault" if one["healthy"] else ""
    caption = f"<b>{series}</b>: {said}.<br>{fault[0].upper()}{fault[1:]}{beside}."
    made = f"<br><code>{html.escape(one['command'])}</code>"
    return f"<figure class=curve>{drawing(one)}<figcaption>{caption}{made}</figcaption></figure>"


def without_curve(code: str) -> str:
    """Why there is no curve of a real run for this rule."""
    why = NO_CURVE.get(code) or NO_CURVE.get(code[:-3])
    return f"No curve: {why or 'no training of the lab shows this one yet'}."


def drawing(one: dict[str, Any]) -> str:
    """The sick series over the healthy one, with lowest and highest value and the last step."""
    every = [value for key in ("sick", "healthy") for value in one[key] if value is not None]
    if not every:
        return ""
    low, high = min(every), max(every)
    wide = low > 0 and high / low >= LOG_SCALE

    def height(value: float) -> float:
        if high == low:
            return HEIGHT / 2
        at = math.log(value / low) / math.log(high / low) if wide else (value - low) / (high - low)
        return HEIGHT - EDGE - at * (HEIGHT - 2 * EDGE)

    lines = "".join(
        f'<path class={key} d="{_path(one[key], height)}"/>' for key in ("healthy", "sick")
    )
    scale = ", log scale" if wide else ""
    label = f"{html.escape(one['series'])}, from {low:g} to {high:g}, to step {one['last']:,}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role=img aria-label="{label}">{lines}</svg>'
        f"<span class=range>{low:g} to {high:g}{scale}; {one['last']:,} steps</span>"
    )


def _path(values: list[float | None], height: Any) -> str:
    """Line through the values; a gap where one is missing."""
    words, down = [], False
    for k, value in enumerate(values):
        if value is None:
            down = False
            continue
        x = EDGE + k / max(1, len(values) - 1) * (WIDTH - 2 * EDGE)
        words.append(f"{'L' if down else 'M'}{x:.1f} {height(value):.1f}")
        if not down:
            words.append("h.1")  # a single point is visible as well
        down = True
    return "".join(words)


# the copy that a wheel takes with it


def on_post_build(config: Any, **_: Any) -> None:
    """Pack the site beside its folder; the same files give the same bytes."""
    site = Path(config["site_dir"])
    for debugging in site.rglob("*.map"):
        debugging.unlink()
    shutil.rmtree(site / "assets" / "javascripts" / "lunr")  # other languages than English
    for picture in site.rglob("*.png"):
        Image.open(picture).convert("RGB").quantize(COLOURS).save(picture, optimize=True)
    with tarfile.open(site.with_name("site.tar.xz"), "w:xz") as archive:
        for file in sorted(site.rglob("*")):
            if file.is_file():
                archive.add(file, file.relative_to(site).as_posix(), filter=_anonymous)


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without who made it and when."""
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    info.mode = 0o644
    return info
