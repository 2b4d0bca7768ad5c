"""Buckets of S3, Google Cloud Storage and Azure, through `obstore`.

Credentials, region and endpoint come from the environment's usual variables (`AWS_*`, `GOOGLE_*`,
`AZURE_*`) or from the machine's role; nothing of them is ever written down or shown.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from runvitals.model import RemoteError
from runvitals.store.objects.store import Address, Entry

LIST_PAGE = 1000  # keys that one request lists
REQUEST_SECONDS = 20.0
RETRY_SECONDS = 15.0
MAX_RETRIES = 4
MAX_PUT_BYTES = 8 * 2**20  # in one request; what is larger goes in several
PUTS_AT_ONCE = 4  # of one large object
_SECRETS = re.compile(r"(?i)(AWSAccessKeyId|Signature|X-Amz-[\w-]+|sig|token|key)=[^&\s\"']+")


class CloudObjects:
    """Objects below a prefix of a bucket."""

    def __init__(self, address: Address) -> None:
        try:
            import obstore
            from obstore.store import from_url
        except ImportError:
            raise RemoteError(
                f"reading and writing {address.scheme}:// needs the package obstore",
                hint='pip install "runvitals[remote]"',
            ) from None
        self.address = address
        self.requests: Counter[str] = Counter()
        self._counting = threading.Lock()
        self._api = obstore
        scheme = "s3" if address.scheme == "s3a" else address.scheme
        with self._explained():
            self._store = from_url(
                f"{scheme}://{address.bucket}/{address.prefix}".rstrip("/"),
                client_options={
                    "timeout": timedelta(seconds=REQUEST_SECONDS),
                    "allow_http": True,  # for endpoints on the machine itself; https is the default
                },
                retry_config={
                    "max_retries": MAX_RETRIES,
                    "retry_timeout": timedelta(seconds=RETRY_SECONDS),
                },
            )

    def _count(self, kind: str, requests: int = 1) -> None:
        with self._counting:  # a backlog is sent by several threads
            self.requests[kind] += requests

    def listed(self, prefix: str = "") -> Iterator[Entry]:
        """All objects below, page by page."""
        with self._explained():
            pages = self._api.list(self._store, prefix.rstrip("/") or None, chunk_size=LIST_PAGE)
            self._count("list")
            count = 0
            for page in pages:
                count += len(page)
                for found in page:
                    yield _entry(found)
            self._count("list", max(0, -(-count // LIST_PAGE) - 1))

    def folders(self, prefix: str = "") -> list[str]:
        """Common prefixes directly below."""
        with self._explained():
            found = self._api.list_with_delimiter(self._store, prefix.rstrip("/") or None)
            self._count("list", 1 + len(found["common_prefixes"]) // LIST_PAGE)
            return sorted(path.rsplit("/", 1)[-1] for path in found["common_prefixes"])

    def get(self, key: str) -> bytes | None:
        """The content of an object."""
        found = self.tagged(key)
        return None if found is None else found[0]

    def tagged(self, key: str) -> tuple[bytes, str] | None:
        """Content and ETag."""
        self._count("get")
        with self._explained(key):
            try:
                found = self._api.get(self._store, key)
                return bytes(found.bytes()), str(found.meta["e_tag"] or "")
            except (FileNotFoundError, self._api.exceptions.NotFoundError) as error:
                if _no_bucket(error):
                    raise
                return None

    def put(self, key: str, data: bytes | Path) -> None:
        """Write or replace; a large file goes in several parts that appear together."""
        with self._explained(key):
            size = data.stat().st_size if isinstance(data, Path) else len(data)
            several = size > MAX_PUT_BYTES  # then a request begins them, and one ends them
            self._count("put", 2 + -(-size // MAX_PUT_BYTES) if several else 1)
            self._api.put(
                self._store,
                key,
                data,
                use_multipart=several,
                chunk_size=MAX_PUT_BYTES,
                max_concurrency=PUTS_AT_ONCE,
            )

    def replace(self, key: str, data: bytes, tag: str | None) -> bool:
        """A conditional write."""
        self._count("put")
        mode: Any = "create" if tag is None else {"e_tag": tag}
        errors = self._api.exceptions
        with self._explained(key):
            try:
                self._api.put(self._store, key, data, mode=mode)
                return True
            except (
                errors.AlreadyExistsError,
                errors.PreconditionError,
                errors.NotFoundError,
                FileExistsError,
            ) as error:
                if _no_bucket(error):
                    raise
                return False

    def delete(self, keys: Iterable[str]) -> None:
        """Remove many at once."""
        wanted = sorted(keys)
        self._count("delete", -(-len(wanted) // LIST_PAGE))
        with self._explained():
            try:
                self._api.delete(self._store, wanted)
            except (FileNotFoundError, self._api.exceptions.NotFoundError) as error:
                if _no_bucket(error):
                    raise

    def open(self, key: str) -> Any:
        """A reader of ranges."""
        self._count("get")
        with self._explained(key):
            return self._api.open_reader(self._store, key)

    @contextmanager
    def _explained(self, key: str = "") -> Iterator[None]:
        """Say what went wrong in plain words, without a trace of a credential."""
        exceptions = self._api.exceptions
        try:
            yield
        except (exceptions.BaseError, OSError, ValueError) as error:
            where = f"{self.address}/{key}" if key else str(self.address)
            what, hint = _reason(error, self.address)
            raise RemoteError(what, where=where, hint=hint) from None


def _entry(found: Any) -> Entry:
    modified = found["last_modified"].timestamp()
    return Entry(found["path"], int(found["size"]), modified, str(found["e_tag"] or ""))


def _no_bucket(error: BaseException) -> bool:
    return "NoSuchBucket" in str(error)


# what a store's answer holds, what it means, and what to do about it
_REGION = "the bucket lies in another region", "set AWS_REGION to the region of the bucket"
_CREDENTIALS = "check the credentials in the environment"
_DENIED = "permission denied", "listing, reading and writing objects must be allowed"
_SKEWED = "the clock of this machine is too far from the store's"
_NONE_FOUND = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role"
_REASONS = (
    ("NoSuchBucket", "there is no such bucket", "create it first, or mend its name"),
    ("RequestTimeTooSkewed", _SKEWED, "set the clock (chrony, ntpd), then try again"),
    ("PermanentRedirect", *_REGION),
    ("incorrectly configured region", *_REGION),
    ("AuthorizationHeaderMalformed", *_REGION),
    ("AccessDenied", *_DENIED),
    ("InvalidAccessKeyId", "the store does not know this access key", _CREDENTIALS),
    ("SignatureDoesNotMatch", "the secret key does not fit the access key", _CREDENTIALS),
    ("169.254.169.254", "no credentials found", _NONE_FOUND),
    ("403", *_DENIED),  # a status alone, after all that say more
)


def _reason(error: BaseException, address: Address) -> tuple[str, str | None]:
    text = _SECRETS.sub(r"\1=...", str(error))
    for sign, what, hint in _REASONS:
        if sign in text:
            if sign == "NoSuchBucket":
                return f"{what}: {address.bucket}", hint
            return f"{address.bucket}: {what}", hint
    first = next((line for line in text.splitlines() if line.strip()), type(error).__name__)
    return f"{address.bucket} could not be reached: {first[:300]}", None
