"""Finds links that lead out of the folder of a run: what they point at is nobody's business.

That folder is its project. Somebody who may write there must not have files of other projects read.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from runvitals.model import ReadError
from runvitals.readers.joining.config_files import NAMES
from runvitals.store.layout import FINDINGS_FILE, PROGRESS_FILE, RUN_FILE
from runvitals.view.places import EVENT_FOLDERS, Place

MAX_FILES = 20_000  # of a folder that is one run as a whole
_OWN = (RUN_FILE, PROGRESS_FILE, FINDINGS_FILE)
_BESIDE = (*NAMES, "wandb-metadata.json", "files/config.yaml", "files/wandb-metadata.json", "aux")


def leads_out(place: Place) -> Path | None:
    """A file that would be read for a run but lies outside of its project; None if there is none."""
    for path in _read(place):
        if not path.resolve().is_relative_to(place.home):
            return path
    return None


def stay_inside(place: Place) -> None:
    """Raise `ReadError` if a link in it leads out."""
    link = leads_out(place)
    if link is not None:
        raise ReadError(place.path, f"{link.name} is a link that leads out of the folder")


def _read(place: Place) -> Iterator[Path]:
    """All that the readers may open for a run."""
    if place.is_ours:
        yield from (place.path / name for name in _OWN)
        for name in ("points", *EVENT_FOLDERS):
            yield place.path / name
            yield from (place.path / name).glob("*")
        return
    files = [file.path for file in place.found.files]
    yield from files
    folders = dict.fromkeys([place.path, *(path.parent for path in files)])
    yield from (folder / name for folder in folders if folder.is_dir() for name in _BESIDE)
    if any(file.reader.owns_folder for file in place.found.files):
        yield from islice(place.path.rglob("*"), MAX_FILES)
