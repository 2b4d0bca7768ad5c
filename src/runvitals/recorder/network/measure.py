"""What one update of the weights looks like: norms, ratios and Adam's second moment, by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from runvitals.model import labelled
from runvitals.recorder.network.blocks import Parameters, groups
from runvitals.recorder.network.tensors import Gathered, local, norms, sample


class Before(NamedTuple):
    """What is known before the optimiser steps."""

    places: list[int]
    gradients: list[Any]  # norms
    weights: list[Any]  # norms
    samples: list[Any]
    scale: Any  # of the gradients, while a gradient scaler is at work inside the optimiser


def measure_before(parameters: Parameters, optimizer: Any) -> Before:
    """Norms of gradients and weights, and a sample of the weights, before the update."""
    places = parameters.of(optimizer)
    weights = [local(parameters.tensors[place]) for place in places]
    gradients = [local(parameters.tensors[place].grad) for place in places]
    return Before(
        places,
        norms(gradients),
        norms(weights),
        [sample(weight).clone() for weight in weights],
        getattr(optimizer, "grad_scale", None),
    )


def measure_after(parameters: Parameters, optimizer: Any, before: Before) -> Measurement:
    """The same update after it was made."""
    import torch

    now = [sample(local(parameters.tensors[place])) for place in before.places]
    moved = torch._foreach_sub(now, before.samples) if now else []
    return Measurement(
        [parameters.blocks[place] for place in before.places],
        Gathered(before.gradients),
        Gathered(before.weights),
        Gathered(norms(moved)),
        Gathered(norms(before.samples)),
        # elements of the whole per element of the sample: large tensors count for more
        [
            parameters.tensors[place].numel() / max(1, part.numel())
            for place, part in zip(before.places, before.samples, strict=True)
        ],
        None if before.scale is None else Gathered([before.scale]),
        _adam(parameters, optimizer, before.places),
        total=len(parameters.optimizers) == 1,
    )


class AdamMoment(NamedTuple):
    """Adam's second moment against the gradient of now, a sample of each tensor."""

    blocks: list[str]
    ratios: Gathered  # mean of g^2 / v
    below_eps: Gathered  # share of entries whose root of v is below eps


class Measurement(NamedTuple):
    """One measured update; `numbers` waits for the devices and is asked later."""

    blocks: list[str]
    gradients: Gathered
    weights: Gathered
    moved: Gathered
    sampled: Gathered
    factors: list[float]
    scale: Gathered | None
    adam: AdamMoment | None
    total: bool  # whether this is all of the network, and not the part of one of several optimisers

    def numbers(self) -> dict[str, float]:
        """All series of it, overall and by block."""
        scale = 1.0 if self.scale is None else float(self.scale.fetch()[0]) or 1.0
        factors = np.asarray(self.factors)
        gradients = (self.gradients.fetch() / scale) ** 2
        weights = self.weights.fetch() ** 2
        moved = factors * self.moved.fetch() ** 2
        sampled = factors * self.sampled.fetch() ** 2
        found: dict[str, float] = {}
        for labels, mine in groups(self.blocks, total=self.total):
            found[labelled("net/grad_norm", **labels)] = math.sqrt(gradients[mine].sum())
            found[labelled("net/weight_norm", **labels)] = math.sqrt(weights[mine].sum())
            if (size := sampled[mine].sum()) > 0:
                found[labelled("net/update_ratio", **labels)] = math.sqrt(moved[mine].sum() / size)
        if self.total:
            found["net/nonfinite"] = float(np.count_nonzero(~np.isfinite(gradients)))
        if self.adam is not None:
            found.update(_of_adam(self.adam, total=self.total))
        return found


def _of_adam(adam: AdamMoment, *, total: bool) -> dict[str, float]:
    ratios, below = adam.ratios.fetch(), adam.below_eps.fetch()
    found = {"net/adam_below_eps": float(below.mean())} if total else {}
    for labels, mine in groups(adam.blocks, total=total):
        found[labelled("net/adam_rms", **labels)] = math.sqrt(ratios[mine].mean())
    return found


def _adam(parameters: Parameters, optimizer: Any, places: Sequence[int]) -> AdamMoment | None:
    """What `exp_avg_sq` says of these parameters, if the optimiser keeps one."""
    import torch

    settings = {id(p): g for g in optimizer.param_groups for p in g["params"]}
    blocks, ratios, below = [], [], []
    for place in places:
        parameter = parameters.tensors[place]
        state = optimizer.state.get(parameter, {})
        moment = state.get("exp_avg_sq")
        group = settings.get(id(parameter), {})
        if not torch.is_tensor(moment) or moment.shape != parameter.shape:
            continue  # another optimiser, or a factored or quantised moment
        if parameter.grad is None:
            continue  # taken away by the step
        gradient = sample(local(parameter.grad)).float()
        corrected = sample(local(moment)).float() / _correction(state, group)
        eps = float(group.get("eps", 0.0))
        floor = max(eps * eps, torch.finfo(torch.float32).tiny)
        ratios.append((gradient.square() / corrected.clamp(min=floor)).mean())
        below.append((corrected < floor).float().mean())
        blocks.append(parameters.blocks[place])
    return AdamMoment(blocks, Gathered(ratios), Gathered(below)) if blocks else None


def _correction(state: Mapping[str, Any], group: Mapping[str, Any]) -> Any:
    """By how much a young running mean is too small: 1 - beta2^t, on the device if t is there."""
    betas = group.get("betas", (0.9, 0.999))
    steps = state.get("step", 0)
    if not isinstance(steps, int | float) and steps.device.type != "cpu":
        return 1.0 - float(betas[1]) ** steps
    return max(1.0 - float(betas[1]) ** float(steps), 1e-12)


def later(makers: Sequence[Callable[[], Mapping[str, float]] | None]) -> dict[str, float]:
    """What several of these say, in one row."""
    found: dict[str, float] = {}
    for make in makers:
        if make is not None:
            found.update(make())
    return found
