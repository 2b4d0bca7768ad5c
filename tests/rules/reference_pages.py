"""Writes the rule book below docs/reference from the rules: `python -m tests.rules.reference_pages`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from runvitals.rules.causes import MECHANISMS, OUTCOMES, Cause
from runvitals.rules.registry import Rule, rules

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
INDEX = "rules.md"
CAUSES = "causes.md"
NOTE = "<!-- Generated from the rules by `python -m tests.rules.reference_pages`; do not edit. -->"


def pages() -> dict[str, str]:
    """The index, the causes and a page for each family, by file name below docs/reference."""
    families = _families()
    texts = {INDEX: _index(families), CAUSES: "\n".join(_causes(families)) + "\n"}
    for family, members in families.items():
        texts[f"rules/{family}.md"] = "\n".join(_family(family, members)) + "\n"
    return texts


def _families() -> dict[str, list[Rule]]:
    """Our own rules by the folder they are in; those of plugins have their pages elsewhere."""
    found: dict[str, list[Rule]] = {}
    for rule in rules().values():
        package, _, rest = rule.check.__module__.removeprefix("runvitals.rules.").partition(".")
        if rest:
            found.setdefault(package, []).append(rule)
    return found


def _index(families: dict[str, list[Rule]]) -> str:
    count = sum(len(members) for members in families.values())
    lines = ["# Rules", "", NOTE, ""]
    lines += [
        f"`runvitals check` knows {count} rules. `runvitals rule CODE` shows any of them in the",
        "terminal. A finding can be more or less severe than its rule: each page says when.",
        "[How to read a finding, and how to set rules up](../guides/judging.md).",
        "[Which finding may be the cause of which](causes.md).",
    ]
    for family, members in families.items():
        lines += ["", f"## {_title(family)}", "", "| code | name | severity | what it finds |"]
        lines.append("|---|---|---|---|")
        for rule in members:
            link = f"[{rule.code}](rules/{family}.md#{_anchor(rule)})"
            lines.append(f"| {link} | {rule.name} | {_severity(rule)} | {_cell(rule.title)} |")
    return "\n".join([*lines, ""])


def _family(family: str, members: list[Rule]) -> Iterator[str]:
    yield f"# {_title(family)}"
    yield ""
    yield NOTE
    if more := (import_module(f"runvitals.rules.{family}").__doc__ or "").partition("\n\n")[2]:
        yield from ("", more.rstrip())
    for rule in members:
        yield ""
        yield f"## {rule.code} {rule.name}"
        yield ""
        yield from _facts(rule)
        for line in (inspect.getdoc(rule.check) or "").split("\n"):
            yield f"#{line}" if line.startswith("## ") else line


def _causes(families: dict[str, list[Rule]]) -> Iterator[str]:
    """Each mechanism as a drawing, and beneath it how each cause works."""
    page = {rule.code: family for family, members in families.items() for rule in members}
    known = rules()
    count = sum(len(row.effects) for rows in MECHANISMS.values() for row in rows)
    yield from ("# What leads to what", "", NOTE, "")
    yield "What one rule finds may explain what other rules find. A story in `runvitals check` begins"
    yield f"with the earliest cause, and the rest follows from it. It knows these {count} relations. In"
    yield "addition, any trouble with policy, critic or optimiser may explain why the outcome fails"
    yield f"({', '.join(sorted(OUTCOMES))}), if it came first."
    for title, rows in MECHANISMS.items():
        yield from ("", f"## {title}", "", "```mermaid", "flowchart LR")
        yield from _drawing(rows, known)
        yield from ("```", "")
        for row in rows:
            name = f"{row.code} {known[row.code].name}"
            link = f"rules/{page[row.code]}.md#{_anchor(known[row.code])}"
            yield f"- [{name}]({link}): {row.why} → {', '.join(row.effects)}"


def _drawing(rows: tuple[Cause, ...], known: dict[str, Rule]) -> Iterator[str]:
    codes = dict.fromkeys(code for row in rows for code in (row.code, *row.effects))
    for code in codes:
        yield f'  {code}["{code}<br>{known[code].name}"]'
    for row in rows:
        yield f"  {row.code} --> {' & '.join(row.effects)}"


def _facts(rule: Rule) -> Iterator[str]:
    needs = "; ".join(" or ".join(f"`{one}`" for one in need.names) for need in rule.needs)
    options = ", ".join(f"`{name}` = {usual}" for name, usual in rule.options.items())
    explains = ", ".join(rule.explains)
    yield f"- severity: {_severity(rule)}"
    yield f"- needs: {needs or 'nothing in particular'}"
    if rule.families:
        yield f"- for: {', '.join(rule.families)}"
    if options:
        yield f"- options: {options}"
    if explains:
        yield f"- may explain: {explains}"
    yield ""


def _title(family: str) -> str:
    """What the family's docstring says that its rules are about."""
    text = inspect.getdoc(import_module(f"runvitals.rules.{family}")) or family
    subject = text.split("\n")[0].rstrip(".").removeprefix("Rules about ")
    return subject[0].upper() + subject[1:]


def _severity(rule: Rule) -> str:
    return rule.severity + (" (preview)" if rule.preview else "")


def _anchor(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}".lower()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def write() -> None:
    """Write all pages, and remove those of families that are gone."""
    texts = pages()
    (FOLDER / "rules").mkdir(exist_ok=True)
    for old in (FOLDER / "rules").glob("*.md"):
        if f"rules/{old.name}" not in texts:
            old.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"wrote {len(texts)} pages below docs/reference")


if __name__ == "__main__":
    write()
