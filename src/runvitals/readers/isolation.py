"""Contains errors to one run where many are read in a row."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runvitals.model import ConfigError, DamagedError, ReadError, RunvitalsError


@contextmanager
def one_run(path: Path, *, about_all: type[RunvitalsError] = ConfigError) -> Iterator[None]:
    """Turns any exception into a `ReadError` about this run, except those `about_all` runs.

    Files are checked before they are used. What slips through must not hide the other runs.
    """
    try:
        yield
    except (ReadError, about_all):
        raise
    except RunvitalsError as error:  # its points are in an index that does not answer, for instance
        raise ReadError(path, error.what, hint=error.hint) from error
    except OSError as error:
        raise ReadError(path, error.strerror or str(error)) from error
    except Exception as error:
        raise DamagedError(
            path,
            f"reading it failed ({type(error).__name__}: {error})",
            hint="its files may be damaged: try a copy of them; if they are not, please report this",
        ) from error
