"""Gradient, update and weight norms of a PyTorch optimizer, sampled, for trainers that log none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EVERY = 16  # optimizer steps between two looks: below 1% of an update of PPO with a small network


class GradientProbe:
    """Looks at every 16th step of some optimizers; `take` gives the means since it was last asked.

    The gradient is seen as `backward` leaves it, before anything clips it. Nothing waits for a device:
    the numbers stay there until they are recorded. Names of the optimizers are those of the metrics'
    groups: `optim` for a single one, `policy` and `value` for an actor and a critic.
    """

    def __init__(self, optimizers: Mapping[str, Any], *, every: int = EVERY) -> None:
        self._probes = {name: _Probe(one, every) for name, one in optimizers.items()}

    def take(self) -> dict[str, Any]:
        """The means since the last call, by metric name."""
        return {
            f"{name}/{what}"
            if what != "update_ratio" or name != "optim"
            else "net/update_ratio": value
            for name, probe in self._probes.items()
            for what, value in probe.take().items()
            if name == "optim" or what == "grad_norm"
        }

    def close(self) -> None:
        """Take all hooks away."""
        for probe in self._probes.values():
            probe.close()


class _Probe:
    def __init__(self, optimizer: Any, every: int) -> None:
        self._parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self._parameters = [p for p in self._parameters if p.requires_grad]
        self._every, self._steps, self._looks = every, 0, True
        self._norms: dict[int, Any] = {}
        self._before: list[Any] = []
        self._found: dict[str, list[Any]] = {}
        self._handles = [
            *(p.register_post_accumulate_grad_hook(self._seen) for p in self._parameters),
            optimizer.register_step_pre_hook(self._stepping),
            optimizer.register_step_post_hook(self._stepped),
        ]

    def _seen(self, parameter: Any) -> None:
        if self._looks:
            self._norms[id(parameter)] = parameter.grad.detach().norm()

    def _stepping(self, *_: Any) -> None:
        if self._looks:
            self._before = [p.detach().clone() for p in self._parameters]

    def _stepped(self, *_: Any) -> None:
        if self._looks and self._before:
            import torch

            now = [p.detach() for p in self._parameters]
            size = torch.nn.utils.get_total_norm(self._before)
            moved = torch.nn.utils.get_total_norm(torch._foreach_sub(now, self._before))
            found = {"param_norm": size, "update_norm": moved}
            if self._norms:
                found["grad_norm"] = torch.stack(list(self._norms.values())).norm()
            for name, value in found.items():
                self._found.setdefault(name, []).append(value)
        self._steps += 1
        self._looks = self._steps % self._every == 0
        self._before = []
        self._norms.clear()

    def take(self) -> dict[str, Any]:
        if not self._found:
            return {}
        import torch

        found, self._found = self._found, {}
        return {name: torch.stack(values).mean() for name, values in found.items()}

    def close(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
