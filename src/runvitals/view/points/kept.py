"""A few things by their keys, those that were asked for last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any


class ByteCache:
    """Keeps what was put there until that takes more bytes than allowed.

    >>> kept = ByteCache(max_bytes=20)
    >>> for key in "abc":
    ...     kept.put(key, key.upper(), 8)
    >>> kept.get("a"), kept.get("c")
    (None, 'C')
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._things: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """What was put there, None if it is gone."""
        if key not in self._things:
            return None
        self._things.move_to_end(key)
        return self._things[key][0]

    def put(self, key: Hashable, thing: Any, size: int) -> None:
        """Keep something of this many bytes."""
        self._bytes += size - self._things.pop(key, (None, 0))[1]
        self._things[key] = (thing, size)
        while self._bytes > self._max_bytes:
            self._bytes -= self._things.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Keep nothing."""
        self._things.clear()
        self._bytes = 0
