"""Ships run folders that lie here: of nodes that were offline, or of runs recorded without a remote."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runvitals.model import ReadError, RemoteError, RunTakenError
from runvitals.readers.discovery.discover import discover
from runvitals.readers.log import one_run
from runvitals.remote.merge import merge_run
from runvitals.remote.owner import claim, run_key
from runvitals.remote.run_list import RemoteRunList, entry_of
from runvitals.remote.ship import Shipped, Shipper, anybody_writes
from runvitals.remote.shipping_file import ShippingLock
from runvitals.store.layout import is_run_folder
from runvitals.store.objects.store import Objects, open_objects

FOLLOW_SECONDS = 5.0


@dataclass(frozen=True)
class Pushed:
    """What became of one run."""

    folder: Path
    key: str
    done: Shipped
    live: bool  # somebody still writes it
    busy: bool = False  # its own shipper is at it
    problem: str = ""  # why it was not shipped
    refused: RunTakenError | None = None  # another run has its id there


def push(top: Path, url: str) -> Iterator[Pushed]:
    """Ship every run of ours at or below a folder, once.

    Raises `RunTakenError` at the end, if another run has the id of one of them there.
    """
    objects = open_objects(url)
    refused = []
    for pushed in _pass(_runs(top), objects, url, {}):
        if pushed.refused is not None:
            refused.append(pushed.refused)
        else:
            yield pushed
    RemoteRunList(objects).fold()
    if refused:
        raise refused[0] if len(refused) == 1 else _several(refused)


def _several(refused: list[RunTakenError]) -> RunTakenError:
    texts = "\n".join(f"{one.what} ({one.where})" for one in refused)
    return RunTakenError(f"{len(refused)} runs were not shipped\n{texts}", hint=refused[0].hint)


def follow(
    top: Path, url: str, say: Callable[[Pushed], None], *, every: float = FOLLOW_SECONDS
) -> None:
    """The same again and again, with runs that begin meanwhile; until interrupted."""
    objects = open_objects(url)
    shippers: dict[Path, Shipper] = {}
    refused: set[Path] = set()
    while True:
        for pushed in _pass(_runs(top), objects, url, shippers):
            new = bool(pushed.problem) and pushed.folder not in refused
            if new:
                refused.add(pushed.folder)
            if pushed.done.objects or new:
                say(pushed)
        time.sleep(every)


def _pass(
    folders: list[Path], objects: Objects, url: str, shippers: dict[Path, Shipper]
) -> Iterator[Pushed]:
    runs = RemoteRunList(objects)
    for folder in folders:
        lock = ShippingLock(folder, url)
        if not lock.taken:
            yield Pushed(folder, run_key(folder), Shipped(), live=True, busy=True)
            continue
        try:
            with one_run(folder, about_all=RemoteError):
                known = shippers.get(folder)
                shipper = known or _shipper(folder, objects)
                live = anybody_writes(folder)
                done = shipper.ship(final=not live)
                if not live:
                    shipper.finish()
                    if done.objects or known is None:
                        merge_run(objects, shipper.key, folder)
                if done.objects or known is None:
                    runs.note(entry_of(folder, shipper.key, objects, ended=not live), final=False)
                shippers[folder] = shipper
                pushed = Pushed(folder, run_key(folder), done, live)
        except (RunTakenError, ReadError) as error:
            taken = error if isinstance(error, RunTakenError) else None
            pushed = Pushed(folder, run_key(folder), Shipped(), False, False, str(error), taken)
        finally:
            lock.release()
        yield pushed


def _shipper(folder: Path, objects: Objects) -> Shipper:
    mine = claim(folder, objects)
    return Shipper(folder, objects, mine.root, mine.apart)


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
