"""The process beside the trainer that ships its run: `python -m runvitals.remote.shipper FOLDER URL`.

It is a process and never a thread: clients of object stores have threads of their own, which hang
after a fork. It outlives a trainer that was killed, ships what is left and ends. What it could not
ship stays in the folder; `runvitals push` does the rest at any time.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from runvitals.model import RemoteError, RunTakenError, RunvitalsError
from runvitals.remote.merge import merge_run
from runvitals.remote.owner import claim
from runvitals.remote.run_list import RemoteRunList, entry_of
from runvitals.remote.ship import MAX_CONNECTIONS, Shipper, anybody_writes
from runvitals.remote.shipping_file import ShippingFile, ShippingLock
from runvitals.store.objects.store import open_objects

RANK_0_SECONDS = 5.0
OTHERS_SECONDS = 60.0
LOOK_SECONDS = 1.0  # whether the trainer is still there
GRACE_SECONDS = 3.0  # a writer that is gone may be followed by its next life
FIRST_RETRY_SECONDS = 1.0
MAX_RETRY_SECONDS = 30.0
MAX_DRAIN_SECONDS = 6 * 3600.0  # after the trainer has ended, a place that does not answer
LISTED_SECONDS = 60.0  # between two entries of a live run in the list of runs


def ship_while_it_runs(folder: Path, url: str) -> int:
    """Ship until nobody writes and all is there; exit code 1 when some had to be left."""
    lock = ShippingLock(folder, url)
    if not lock.taken:
        return 0  # another rank's shipper on this host does it
    state = ShippingFile(folder, url)
    objects = open_objects(url)
    runs = RemoteRunList(objects)
    shipper: Shipper | None = None
    connections, retry = MAX_CONNECTIONS, FIRST_RETRY_SECONDS
    next_others = next_listed = 0.0
    alone_since: float | None = None
    try:
        while True:
            if not folder.is_dir():
                return 1  # the run was deleted: nothing is left to ship
            now = time.monotonic()
            alone_since = None if anybody_writes(folder) else alone_since or now
            final = alone_since is not None and now - alone_since >= GRACE_SECONDS
            try:
                if shipper is None:
                    mine = claim(folder, objects)
                    shipper = Shipper(folder, objects, mine.root, mine.apart, connections)
                others = final or now >= next_others
                done = shipper.ship(final=final, others=others)
                if others:
                    next_others = now + OTHERS_SECONDS
                if final:
                    shipper.finish()
                    merge_run(objects, shipper.key, folder)
                if final or now >= next_listed:
                    next_listed = now + LISTED_SECONDS
                    runs.note(entry_of(folder, shipper.key, objects, ended=final), final=final)
            except RemoteError as error:
                state.failed(error, {} if shipper is None else shipper.there())
                refused = isinstance(error, RunTakenError)
                if alone_since is not None and (refused or now - alone_since > MAX_DRAIN_SECONDS):
                    return 1
                time.sleep(retry)
                retry = min(2 * retry, MAX_RETRY_SECONDS)
                shipper, connections = None, 1  # the line may be slow
                continue
            retry, connections = FIRST_RETRY_SECONDS, MAX_CONNECTIONS
            shipper.connections = connections
            state.shipped(done, shipper.there(), objects.requests, final=final)
            if final:
                return 0
            _sleep_until(time.monotonic() + RANK_0_SECONDS, folder, alone_since)
    finally:
        lock.release()


def _sleep_until(until: float, folder: Path, alone_since: float | None) -> None:
    """Wait for the next pass; a trainer that ended is not kept waiting."""
    while time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
        if alone_since is not None or not anybody_writes(folder):
            return


def main() -> None:
    """What the started process runs."""
    parser = argparse.ArgumentParser(prog="python -m runvitals.remote.shipper", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("url")
    given = parser.parse_args()
    if hasattr(os, "nice"):
        os.nice(5)  # the training comes first
    try:
        code = ship_while_it_runs(given.folder, given.url)
    except RunvitalsError as error:
        ShippingFile(given.folder, given.url).failed(error)
        print(f"error: {error}", file=sys.stderr)
        code = 2
    sys.exit(code)


if __name__ == "__main__":
    main()
