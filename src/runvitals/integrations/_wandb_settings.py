"""`wandb.config` and `wandb.summary`: mappings that also write to the recorded run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from runvitals.recorder.live import LiveRun


class Config(MutableMapping[str, Any]):
    """`wandb.config`: a mapping with attributes, kept in the run's config."""

    def __init__(self, recorded: LiveRun | None = None) -> None:
        object.__setattr__(self, "_items", {})
        object.__setattr__(self, "_recorded", recorded)

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def __delitem__(self, key: str) -> None:
        del self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getattr__(self, key: str) -> Any:
        try:
            return self._items[key]
        except KeyError:
            raise AttributeError(f"config has no {key!r}") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, d: Any = (), allow_val_change: bool | None = None, /, **more: Any) -> None:
        """Add settings; W&B's `allow_val_change` changes nothing here."""
        from runvitals.recorder.config import as_mapping

        more.pop("allow_val_change", None)
        new = {**(as_mapping(d) if d else {}), **more}
        self._items.update({str(key): value for key, value in new.items()})
        if self._recorded is not None:
            self._recorded.update_config(new)

    def setdefaults(self, d: Mapping[str, Any]) -> None:
        """Add settings that are not there."""
        self.update({key: value for key, value in d.items() if key not in self._items})

    def as_dict(self) -> dict[str, Any]:
        """All of them."""
        return dict(self._items)


class WandbSummary(dict[str, Any]):
    """`wandb.summary`: the last value of each name, and what the script adds."""

    def __init__(self, recorded: LiveRun | None = None) -> None:
        super().__init__()
        self._recorded = recorded

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        if self._recorded is not None:
            self._recorded.summary[key] = value

    def update(self, values: Any = (), **more: Any) -> None:  # type: ignore[override]
        """Add numbers of your own."""
        for key, value in {**dict(values), **more}.items():
            self[key] = value

    def note(self, values: Mapping[str, Any]) -> None:
        """Take over what was logged."""
        super().update(values)
