"""Ships run folders that lie here: of nodes that were offline, or of runs recorded without a remote."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runvitals.model import ReadError, RemoteError
from runvitals.objects.store import Objects, open_objects
from runvitals.readers.discovery.discover import discover
from runvitals.readers.isolation import one_run
from runvitals.remote.merge import merge_run
from runvitals.remote.run_list import RunList, entry_of
from runvitals.remote.ship import Shipped, Shipper, run_key
from runvitals.remote.shipping_file import ShippingLock
from runvitals.store.layout import is_run_folder

FOLLOW_SECONDS = 5.0


@dataclass(frozen=True)
class Pushed:
    """What became of one run."""

    folder: Path
    key: str
    done: Shipped
    live: bool  # somebody still writes it
    busy: bool = False  # its own shipper is at it
    problem: str = ""  # why it could not be read


def push(top: Path, url: str) -> Iterator[Pushed]:
    """Ship every run of ours at or below a folder, once."""
    objects = open_objects(url)
    yield from _pass(_runs(top), objects, url, {})
    RunList(objects).fold()


def follow(
    top: Path, url: str, say: Callable[[Pushed], None], *, every: float = FOLLOW_SECONDS
) -> None:
    """The same again and again, with runs that begin meanwhile; until interrupted."""
    objects = open_objects(url)
    shippers: dict[Path, Shipper] = {}
    while True:
        for pushed in _pass(_runs(top), objects, url, shippers):
            if pushed.done.objects or pushed.problem:
                say(pushed)
        time.sleep(every)


def _pass(
    folders: list[Path], objects: Objects, url: str, shippers: dict[Path, Shipper]
) -> Iterator[Pushed]:
    runs = RunList(objects)
    for folder in folders:
        lock = ShippingLock(folder, url)
        if not lock.taken:
            yield Pushed(folder, run_key(folder), Shipped(), live=True, busy=True)
            continue
        try:
            with one_run(folder, about_all=RemoteError):
                known = shippers.get(folder)
                shipper = known or Shipper(folder, objects, run_key(folder))
                live = shipper.anybody_writes()
                done = shipper.ship(final=not live)
                if not live:
                    shipper.finish()
                    if done.objects or known is None:
                        merge_run(objects, shipper.key, folder)
                if done.objects or known is None:
                    runs.note(entry_of(folder, shipper.key, objects, ended=not live), final=False)
                shippers[folder] = shipper
                pushed = Pushed(folder, shipper.key, done, live)
        except ReadError as error:
            pushed = Pushed(folder, run_key(folder), Shipped(), live=False, problem=str(error))
        finally:
            lock.release()
        yield pushed


def _runs(top: Path) -> list[Path]:
    if not top.exists():
        raise ReadError(top, "no such folder")
    found = [found.path for found in discover(top) if not found.files]
    if not found:
        raise ReadError(
            top,
            "no runs recorded by runvitals in this folder",
            hint="logs of other tools are read where they lie",
        )
    return [path for path in found if is_run_folder(path)]
