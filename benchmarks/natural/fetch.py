"""Fetch the logs of the benchmark from the public repositories they lie in; needs git and a network.

    python -m benchmarks.natural.fetch natural-logs
    python -m benchmarks.natural.fetch natural-logs --only 20

Each log becomes a folder with its files. What is already there is left as it is; a repository that
has gone is listed at the end, and counts as a log that nobody can read.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.natural import INDEX, LabelledLog, labelled_logs

HOST = "https://github.com"


def fetch(log: LabelledLog, folder: Path, host: str = HOST) -> None:
    """Write the files of one log into its folder; raises CalledProcessError if that fails."""
    target = folder / log.log
    if target.is_dir():
        return
    with TemporaryDirectory() as scratch:
        _git(scratch, "init", "--quiet")
        url = f"{host}/{log.repository}"
        _git(scratch, "fetch", "--quiet", "--depth=1", "--filter=blob:none", url, log.commit)
        _git(scratch, "remote", "add", "origin", url)  # for the blobs that are asked for below
        files = {
            Path(path).name: _git(scratch, "show", f"{log.commit}:{path}") for path in log.paths
        }
    target.mkdir(parents=True)
    for name, content in files.items():
        (target / name).write_bytes(content)


def _git(folder: str, *words: str) -> bytes:
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True).stdout


def main() -> None:
    """Fetch all logs, or the first few."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", type=int, help="how many logs")
    parser.add_argument("--host", default=HOST)
    parser.add_argument("--index", type=Path, default=INDEX)
    args = parser.parse_args()
    missing = []
    for log in labelled_logs(args.index)[: args.only]:
        try:
            fetch(log, args.folder, args.host)
        except subprocess.CalledProcessError as problem:
            missing.append(f"{log.log}: {problem.stderr.decode(errors='replace').strip()}")
    print(f"{len(missing)} could not be fetched", *missing, sep="\n  ")


if __name__ == "__main__":
    main()
