"""Verdicts that outlive the server: a folder of thousands of runs is judged once, not at each start.

A verdict holds as long as the files of its run, the rules themselves and the user's settings are
unchanged.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pydantic import BaseModel, ValidationError

from runvitals.diagnosis.code_stamp import code_stamp
from runvitals.model.atomic import replacing
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.work.judge_place import JudgedPlace
from runvitals.store.files import is_intact, with_checksum
from runvitals.view.links import leads_out
from runvitals.view.places import Place

MAX_FILES = 20_000


class _Kept(BaseModel):
    code: str
    settings: str
    path: str
    examination: JudgedPlace


class VerdictCache:
    """Examinations in a folder of the user; with no folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def load(self, place: Place, settings: SettingsFile | None = None) -> JudgedPlace | None:
        """The judgement of this place as it is now, by these settings, if it is known."""
        if self._folder is None or leads_out(place) is not None:
            return None
        try:
            content = self._file(place).read_bytes()
            kept = _Kept.model_validate_json(content)
        except (OSError, ValidationError):
            return None  # not judged yet, or by another version
        if not is_intact(content):
            return None
        made = kept.examination
        by_now = code_stamp(), settings_stamp(settings), _path(place), place.stamp()
        if (kept.code, kept.settings, kept.path, made.stamp) != by_now:
            return None
        # the same files may be served from another root, which decides how they are shown
        for one in made.runs:
            one.row.path, one.row.root = place.shown, str(place.root)
        return made

    def save(self, place: Place, made: JudgedPlace, settings: SettingsFile | None = None) -> None:
        """Keep a judgement, unless its run goes on. A cache that cannot be written is none."""
        if self._folder is None or any(one.row.status == "running" for one in made.runs):
            return
        kept = _Kept(
            code=code_stamp(),
            settings=settings_stamp(settings),
            path=_path(place),
            examination=made,
        )
        file = self._file(place)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file) as new:
                new.write(with_checksum(kept.model_dump_json().encode()))
        except OSError:
            self._folder = None

    def prune(self, most: int = MAX_FILES) -> None:
        """Drop the oldest files when there are too many."""
        if self._folder is None:
            return
        files = list(self._folder.glob("*/*.json"))
        if len(files) > most:
            for file in sorted(files, key=_changed)[: len(files) - most]:
                file.unlink(missing_ok=True)

    def _file(self, place: Place) -> Path:
        assert self._folder is not None
        return self._folder / place.id[:2] / f"{place.id}.json"


def user_cache() -> VerdictCache:
    """The cache of this user."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return VerdictCache(Path(home) / "runvitals" / "verdicts")


def settings_stamp(file: SettingsFile | None) -> str:
    """What changes with any change to the settings."""
    if file is None:
        return ""
    said = f"{file.framework}\0{file.algorithm}\0{file.names}"
    return hashlib.blake2b(f"{file.shown}\0{file.text}\0{said}".encode(), digest_size=8).hexdigest()


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0  # another server has dropped it


def _path(place: Place) -> str:
    return str(place.path.absolute()).encode("utf-8", "replace").decode()
