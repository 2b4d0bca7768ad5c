"""How long `runvitals --help` takes, beside importing NumPy."""

from __future__ import annotations

import subprocess
import sys
import time


def seconds(*words: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], capture_output=True, check=True)
    return time.perf_counter() - start


def main() -> None:
    numpy_times, help_times = [], []
    for _ in range(15):
        numpy_times.append(seconds("-c", "import numpy"))
        help_times.append(seconds("-m", "runvitals.cli.main", "--help"))
    numpy_time, help_time = min(numpy_times), min(help_times)
    print(f"python -c 'import numpy'  {numpy_time:.3f} s")
    print(
        f"runvitals --help          {help_time:.3f} s, {help_time / numpy_time:.2f} times as long"
    )


if __name__ == "__main__":
    main()
