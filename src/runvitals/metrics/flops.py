"""How much of the hardware is used: FLOPs of transformers, peaks of accelerators, MFU."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from runvitals.metrics._arrays import host_list
from runvitals.metrics._types import Array
from runvitals.model import ConfigError

Convention = Literal["exact", "verl", "palm"]

# Dense bf16/fp16 matrix throughput without sparsity, TFLOP/s, from the makers' data sheets. Longer
# names first: "H100 PCIe" must not be taken for "H100".
_TFLOPS = """
GB300 2500; GB200 2500; B300 2250; B200 2250; GH200 989; H200 NVL 835; H200 989; H100 NVL 835;
H100 PCIe 756; H100 989; H800 989; H20 148; A100 312; A800 312; A40 149.7; A30 165;
RTX PRO 6000 500; RTX 6000 Ada 364; A6000 154.8; A10G 125; A10 125; L40S 362; L40 181; L20 119.5;
L4 121; RTX 5090 209.5; RTX 4090 165.2; RTX 3090 71; V100 125; T4 65; MI355X 2500; MI350X 2300;
MI325X 1307; MI300X 1307; MI300A 980; MI250X 383; TPU v6e 918; TPU v5p 459; TPU v5e 197;
TPU v4 275; Ascend 910B 354; 910B 354; Gaudi3 1835; Gaudi2 432; Trainium2 667; Trainium 95
"""
_PEAKS = {
    name: float(peak) * 1e12
    for name, peak in re.findall(r"(.+?) ([\d.]+)(?:;\s|\n)", _TFLOPS.lstrip())
}


def peak_flops(device: str) -> float:
    """Peak dense bf16 FLOP/s of an accelerator by its name; NaN for an unknown one.

    The name may be what the driver reports (`NVIDIA A100-SXM4-80GB`). NaN, not a guess: MFU is then
    NaN too, and `mfu(peak=...)` takes your own number.

    >>> peak_flops("NVIDIA A100-SXM4-80GB")
    312000000000000.0
    """
    for name, peak in _PEAKS.items():
        if re.search(rf"(?<![a-z0-9]){re.escape(name.lower())}(?![a-z0-9])", device.lower()):
            return peak
    return math.nan


@dataclass(frozen=True, slots=True)
class TransformerShape:
    """The sizes that decide what a decoder-only transformer costs, dense or mixture of experts.

    `ffn` is the inner width of the feed-forward layer, three matrices if `gated`, else two. With
    `experts`, each token runs through `experts_per_token` of width `expert_ffn` in each layer (plus
    `shared_ffn`, the total width of experts that all tokens use), except in the first
    `dense_layers`, those listed in `dense_only`, and all but each `sparse_step`-th.

    >>> small = TransformerShape(layers=2, hidden=8, heads=2, ffn=32, vocab=100)
    >>> small.active_parameters
    3648
    """

    layers: int
    hidden: int
    heads: int
    ffn: int
    vocab: int
    kv_heads: int | None = None
    head_dim: int | None = None
    gated: bool = True
    tied: bool = False
    experts: int = 0
    experts_per_token: int = 0
    expert_ffn: int = 0
    shared_ffn: int = 0
    dense_layers: int = 0
    sparse_step: int = 1
    dense_only: tuple[int, ...] = ()

    @classmethod
    def from_config(cls, config: Any) -> TransformerShape:
        """From a Hugging Face model config (object or dict), under its usual names."""

        def get(*names: str, default: Any = None) -> Any:
            for name in names:
                found = (
                    config.get(name) if isinstance(config, Mapping) else getattr(config, name, None)
                )
                if found is not None:
                    return found
            return default

        def need(*names: str) -> int:
            found = get(*names)
            if found is None:
                raise ConfigError(f"the model config has no {names[0]}")
            return int(found)

        hidden = need("hidden_size", "n_embd", "d_model")
        experts = int(get("num_experts", "num_local_experts", "n_routed_experts", default=0))
        per_token = int(get("num_experts_per_tok", "moe_topk", default=0))
        ffn = int(get("intermediate_size", "n_inner", "d_ff", default=4 * hidden))
        expert_ffn = int(get("moe_intermediate_size", default=ffn))
        shared = get("shared_expert_intermediate_size")
        if shared is None:
            shared = int(get("n_shared_experts", default=0)) * expert_ffn
        activation = str(get("hidden_act", "hidden_activation", "activation_function", default=""))
        return cls(
            layers=need("num_hidden_layers", "n_layer", "num_layers"),
            hidden=hidden,
            heads=need("num_attention_heads", "n_head", "num_heads"),
            ffn=ffn,
            vocab=need("vocab_size"),
            kv_heads=get("num_key_value_heads"),
            head_dim=get("head_dim"),
            gated=not (activation.startswith(("gelu_new", "relu")) or get("n_embd") is not None),
            tied=bool(get("tie_word_embeddings", default=False)),
            experts=experts if per_token else 0,
            experts_per_token=per_token,
            expert_ffn=expert_ffn if per_token else 0,
            shared_ffn=int(shared) if per_token else 0,
            dense_layers=int(get("first_k_dense_replace", default=0)),
            sparse_step=int(get("decoder_sparse_step", default=1)) or 1,
            dense_only=tuple(get("mlp_only_layers", default=())),
        )

    @property
    def attention_width(self) -> int:
        """Heads times head size: the width inside attention."""
        return self.heads * (self.head_dim or self.hidden // self.heads)

    @property
    def moe_layers(self) -> int:
        """Layers whose feed-forward part is a mixture of experts."""
        if not self.experts:
            return 0
        return sum(
            i >= self.dense_layers and (i + 1) % self.sparse_step == 0 and i not in self.dense_only
            for i in range(self.layers)
        )

    def _matrices(self, *, active: bool) -> int:
        """Entries of the layers' matrices, of all experts or of those that one token meets."""
        size = self.head_dim or self.hidden // self.heads
        kv = (self.heads if self.kv_heads is None else self.kv_heads) * size
        attention = self.hidden * (2 * self.attention_width + 2 * kv)
        each = (3 if self.gated else 2) * self.hidden
        met = self.experts_per_token if active else self.experts
        moe = each * (met * self.expert_ffn + self.shared_ffn) + self.hidden * self.experts
        dense = self.layers - self.moe_layers
        return self.layers * attention + dense * each * self.ffn + self.moe_layers * moe

    @property
    def parameters(self) -> int:
        """All matrix parameters: layers, embedding and head (once if tied); no biases or norms."""
        return self._matrices(active=False) + (1 if self.tied else 2) * self.vocab * self.hidden

    @property
    def active_parameters(self) -> int:
        """Parameters that one token passes through, the same as `parameters` without experts."""
        return self._matrices(active=True) + (1 if self.tied else 2) * self.vocab * self.hidden

    def flops_per_token(
        self, length: float, *, training: bool = True, convention: Convention = "exact"
    ) -> float:
        """FLOPs of one token in a sequence of this length, forward, times 3 if training.

        Twice the matrix entries, plus attention over the other tokens:

            exact  output head once, embedding free (a lookup); attention to earlier tokens only
            palm   as exact, but attention to all tokens (PaLM, Megatron, TRL)
            verl   head and embedding both counted as matrices; attention to earlier tokens only

        Use the convention of those you compare with; they differ by up to a fifth for small models.
        """
        if convention not in ("exact", "verl", "palm"):
            raise ConfigError(
                f"unknown convention {convention!r}", hint="one of: exact, verl, palm"
            )
        ends = (2 if convention == "verl" else 1) * self.vocab * self.hidden
        full = 4.0 * self.attention_width * length * self.layers
        attention = full if convention == "palm" else full / 2.0
        forward = 2.0 * (self._matrices(active=True) + ends) + attention
        return 3.0 * forward if training else forward


def batch_flops(
    shape: TransformerShape,
    lengths: Array,
    *,
    training: bool = True,
    convention: Convention = "exact",
) -> float:
    """FLOPs of one pass over sequences of these lengths, forward and backward unless told.

    >>> shape = TransformerShape(layers=2, hidden=8, heads=2, ffn=32, vocab=100)
    >>> batch_flops(shape, [10, 10]) == 20 * shape.flops_per_token(10)
    True
    """
    return math.fsum(
        n * shape.flops_per_token(n, training=training, convention=convention)
        for n in host_list(lengths)
    )


def mfu(
    flops: float,
    seconds: float,
    *,
    devices: int = 1,
    device: str | None = None,
    peak: float | None = None,
) -> float:
    """Share of the hardware's peak that does useful work, 0 to 1; 0.3 to 0.6 is usual in training.

    `flops / (seconds * devices * peak)`, with the peak of a known `device` or your own number per
    device. Recomputed activations do not count. NaN for an unknown device or no time.

    >>> mfu(156e12, 1.0, device="A100")
    0.5
    """
    if peak is None:
        if device is None:
            raise ConfigError("mfu needs the name of the device, or peak in FLOP/s")
        peak = peak_flops(device)
    if not (seconds > 0 and devices > 0 and peak > 0):
        return math.nan
    return flops / (seconds * devices * peak)


def mfu_stats(
    shape: TransformerShape,
    lengths: Array,
    *,
    training_seconds: float | None = None,
    inference_seconds: float | None = None,
    epochs: int = 1,
    devices: int = 1,
    device: str | None = None,
    peak: float | None = None,
    convention: Convention = "exact",
) -> dict[str, float]:
    """MFU of the training update and of the forward passes, and achieved TFLOP/s per device.

    `lengths` are the tokens of each sequence, prompt included; `epochs` how often the update went
    over them.

    >>> shape = TransformerShape(layers=2, hidden=8, heads=2, ffn=32, vocab=100)
    >>> sorted(mfu_stats(shape, [10], training_seconds=1.0, peak=1e9))
    ['throughput/mfu', 'throughput/tflops_per_device']
    """
    found: dict[str, float] = {}
    where = {"devices": devices, "device": device, "peak": peak}
    if training_seconds is not None:
        work = epochs * batch_flops(shape, lengths, convention=convention)
        found["throughput/mfu"] = mfu(work, training_seconds, **where)  # type: ignore[arg-type]
        busy = training_seconds * devices
        found["throughput/tflops_per_device"] = work / busy / 1e12 if busy > 0 else math.nan
    if inference_seconds is not None:
        work = batch_flops(shape, lengths, training=False, convention=convention)
        found["throughput/mfu_inference"] = mfu(
            work,
            inference_seconds,
            **where,  # type: ignore[arg-type]
        )
    return found
