"""Whether samples of a batch see each other: the gradient of one's output by the others' inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runvitals.recorder.network.forward import tensors_in
from runvitals.recorder.network.tensors import Gathered

METRIC = "preflight/cross_sample_gradient"


def probe(
    model: Any, inputs: tuple[tuple[Any, ...], dict[str, Any]]
) -> Callable[[], dict[str, float]] | None:
    """Run the batch once in eval() and see which inputs the first sample's output depends on.

    None where nothing can be said: a batch of one, samples that are not the first dimension, or a
    model that is spread over processes. Random numbers, modes and gradients are left as they were.
    """
    import torch

    # not the wrapper: its forward pass talks to other ranks
    inner = getattr(model, "module", model)
    if _spread(inner) or not _batch_first(inner) or _is_graph(inputs):
        return None
    devices = sorted({p.device.index or 0 for p in inner.parameters() if p.device.type == "cuda"})
    modes = [(module, module.training) for module in inner.modules()]
    try:
        inner.eval()
        with torch.enable_grad(), torch.random.fork_rng(devices=devices):
            return _gradients(inner, inputs)
    finally:
        for module, training in modes:
            module.training = training


def _gradients(
    model: Any, inputs: tuple[tuple[Any, ...], dict[str, Any]]
) -> Callable[[], dict[str, float]] | None:
    import torch

    entered: list[Any] = []

    def enters(module: Any, given: Any, output: Any) -> Any:  # noqa: ARG001
        """Token ids have no gradient: what they are embedded as has."""
        if entered or not isinstance(output, torch.Tensor) or not output.is_floating_point():
            return None
        entered.append(output.detach().requires_grad_())
        return entered[0]

    args, kwargs = _leaves(inputs, entered)
    handles = []
    if not entered:
        embeddings = [m for m in model.modules() if isinstance(m, torch.nn.Embedding)]
        handles = [module.register_forward_hook(enters) for module in embeddings[:1]]
    try:
        output = model(*args, **kwargs)
    finally:
        for handle in handles:
            handle.remove()
    found = _outputs(output)
    size = entered[0].shape[0] if entered and entered[0].dim() > 1 else 0
    fitting = [one for one in found if one.dim() > 0 and one.shape[0] == size and one.requires_grad]
    if size < 2 or not fitting:
        return None
    first = fitting[0][0].float()
    (gradient,) = torch.autograd.grad(
        first.square().sum() + first.sum(), entered[0], allow_unused=True
    )
    if gradient is None:
        return None
    whole, others = gradient.float().norm(), gradient[1:].float().norm()
    gathered = Gathered([others, whole])

    def make() -> dict[str, float]:
        other, everything = gathered.fetch().tolist()
        return {METRIC: other / everything} if everything > 0 else {}

    return make


def _leaves(
    inputs: tuple[tuple[Any, ...], dict[str, Any]], entered: list[Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The same arguments, the first floating tensor replaced by a copy that takes a gradient."""
    import torch

    def leaf(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if not value.is_floating_point() or entered or value.dim() < 2:
            return value.detach()
        entered.append(value.detach().clone().requires_grad_())
        return entered[0]

    return [leaf(one) for one in inputs[0]], {name: leaf(one) for name, one in inputs[1].items()}


def _outputs(output: Any) -> list[Any]:
    logits = (
        output.get("logits") if isinstance(output, Mapping) else getattr(output, "logits", None)
    )
    return list(tensors_in(logits if logits is not None else output))


def _spread(model: Any) -> bool:
    """Whether its parameters are sharded, so that a forward pass needs the other processes."""
    wrapped = any("FullyShardedDataParallel" in type(m).__name__ for m in model.modules())
    return wrapped or any(hasattr(p, "to_local") for p in model.parameters())


def _batch_first(model: Any) -> bool:
    """False where the first dimension is time: there steps see each other by design."""
    return all(getattr(module, "batch_first", True) for module in model.modules())


def _is_graph(inputs: tuple[tuple[Any, ...], dict[str, Any]]) -> bool:
    """Whether the first dimension may be the nodes of a graph: pairs of indices come along."""
    found = [tensor for tensor in tensors_in(inputs) if tensor.dim() > 0]
    pairs = [t for t in found if not t.is_floating_point() and t.dim() == 2 and t.shape[0] == 2]
    return bool(pairs) and any(tensor.shape[0] != 2 for tensor in found)
