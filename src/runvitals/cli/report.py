"""`runvitals report`: a run as one HTML file to send to somebody."""

from pathlib import Path
from typing import Any

import typer

from runvitals.cli.options import chosen_settings, described, logs_or_default
from runvitals.cli.output import print_errors


@described("""
-o --output: Output file, <run name>.html by default; a folder for several runs.
--force: Overwrite an existing file.
--redact: Leave out host, paths, argv, all, or config keys matching a pattern (lr*).
""")
def report(
    logs: list[Path] | None = None,
    output: Path | None = None,
    force: bool = False,
    redact: list[str] | None = None,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    settings: Path | None = None,
    no_text: bool = False,
) -> None:
    """Write a run as one HTML file: verdict, findings and interactive charts; opens offline.

    An earlier report of the same run is replaced. Exit code 2: some of several runs cannot be read.
    """
    from runvitals.model import ReadError
    from runvitals.readers.follow import opened
    from runvitals.readers.log import one_run
    from runvitals.render.notebook import run_html
    from runvitals.view.html_report.contents import contents_of
    from runvitals.view.html_report.document import built_page, document, places_below, write

    page = built_page()
    chosen = chosen_settings(settings, framework, algorithm, map, texts=not no_text)
    logs = logs_or_default(logs)
    problems: list[ReadError] = []
    places = places_below(logs, problems)
    _check_clear(logs, len(places), output)
    taken: set[Path] = set()
    for place in places:
        try:
            with one_run(place.path):
                runs = opened(place.found, chosen.reading)
                shown = [
                    contents_of(run, place, index, chosen, redact or ())
                    for index, run in enumerate(runs)
                ]
        except ReadError as error:
            if len(places) == 1:
                raise
            problems.append(error)
            continue
        count = max(len(places), len(runs))
        _check_clear(logs, count, output)
        for run, contents in zip(runs, shown, strict=True):
            where = _target(contents.page["name"], output, taken, several=count > 1)
            text = document(contents, page, run_html(run, contents.diagnosis))
            write(where, text, contents.page["id"], force=force)
            print(f"{where}: {_verdict_text(contents.page)}, {_size(where)}")
    print_errors(problems)
    if problems:
        raise typer.Exit(2)


def _check_clear(logs: list[Path], runs: int, output: Path | None) -> None:
    """Nobody gets hundreds of files without having asked for them."""
    from runvitals.model import ConfigError

    if runs > 1 and output is not None and output.suffix == ".html":
        raise ConfigError(f"cannot write {runs} runs to one file", hint="pass a folder with -o")
    if runs > len(logs) and output is None:
        raise ConfigError(
            f"found {runs} runs in {', '.join(map(str, logs))}",
            hint="pass one run, or write all reports to a folder: -o reports",
        )


def _target(name: str, output: Path | None, taken: set[Path], *, several: bool) -> Path:
    """Where the report of a run goes; runs of one name get numbers."""
    from runvitals.view.html_report.document import file_name, made_folder

    folder = Path()
    if output is not None:
        if not several and not output.is_dir():
            return output
        folder = made_folder(output)
    where = folder / file_name(name)
    number = 2
    while where in taken:
        where = folder / file_name(f"{name}-{number}")
        number += 1
    taken.add(where)
    return where


def _verdict_text(page: dict[str, Any]) -> str:
    if page["nothing_to_judge"] is not None:
        return "nothing to judge"
    alarms = page["alarms"]["critical"] + page["alarms"]["warning"]
    word = page["verdict"]["word"] + (" on partial data" if page["partial"] else "")
    return f"{word}, {alarms or 'no'} finding{'' if alarms == 1 else 's'}"


def _size(where: Path) -> str:
    kilobytes = where.stat().st_size / 1000
    return f"{kilobytes / 1000:.1f} MB" if kilobytes >= 1000 else f"{kilobytes:.0f} kB"
