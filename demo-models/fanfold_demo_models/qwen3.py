"""The Qwen3 architecture, small and plain: the parameter names are those of transformers' Qwen3Model,
so a state dict of this class is a Hugging Face checkpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Qwen3Config:
    vocab_size: int
    hidden_size: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    intermediate_size: int
    head_dim: int = 64
    rope_theta: float = 10_000.0
    rms_norm_eps: float = 1e-6


class _Normalise(torch.autograd.Function):
    """x / rms(x) * weight, in the type that the layers compute in. Written out because a norm is most of the time that a
    layer this narrow spends outside its matrices."""

    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        kind = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else x.dtype
        square = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32).square_()
        scale = square.div_(x.shape[-1]).add_(eps).rsqrt_()
        unit = (x * scale.to(x.dtype)).to(kind)
        ctx.save_for_backward(unit, weight, scale)
        ctx.kind = x.dtype
        return unit * weight.to(kind)

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        unit, weight, scale = ctx.saved_tensors
        product = gradient * unit
        weight_gradient = product.flatten(0, -2).sum(0, dtype=torch.float32)
        along = (product @ weight.to(product.dtype)[:, None]).div_(unit.shape[-1])
        slope = torch.addcmul(gradient * weight.to(gradient.dtype), unit, along, value=-1)
        return slope.to(ctx.kind) * scale.to(ctx.kind), weight_gradient, None


class RMSNorm(nn.Module):
    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return _Normalise.apply(x, self.weight, self.eps)


def rotary_angles(positions: Tensor, config: Qwen3Config) -> tuple[Tensor, Tensor]:
    """cos and sin of shape [batch, 1, length, head_dim / 2] for integer positions [batch, length]."""
    half = torch.arange(0, config.head_dim, 2, dtype=torch.float32)
    inverse_frequency = 1.0 / (config.rope_theta ** (half / config.head_dim))
    angles = positions.float()[:, None, :, None] * inverse_frequency
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def hidden_tokens(length: int) -> Tensor:
    """[length, length]: a token does not see those behind it."""
    return torch.ones(length, length, dtype=torch.bool).triu(1)


class Attention(nn.Module):
    def __init__(self, config: Qwen3Config) -> None:
        super().__init__()
        self.config = config
        query_size = config.num_heads * config.head_dim
        kv_size = config.num_kv_heads * config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, query_size, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, kv_size, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, kv_size, bias=False)
        self.o_proj = nn.Linear(query_size, config.hidden_size, bias=False)
        self.q_norm = RMSNorm(config.head_dim, config.rms_norm_eps)
        self.k_norm = RMSNorm(config.head_dim, config.rms_norm_eps)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, cover: Tensor) -> Tensor:
        batch, length, _ = x.shape
        heads, kv_heads, size = self.config.num_heads, self.config.num_kv_heads, self.config.head_dim
        query = self.q_norm(self.q_proj(x).view(batch, length, heads, size)).transpose(1, 2)
        key = self.k_norm(self.k_proj(x).view(batch, length, kv_heads, size)).transpose(1, 2)
        value = self.v_proj(x).view(batch, length, kv_heads, size).transpose(1, 2)
        query, key = rotate(query, cos, sin), rotate(key, cos, sin)
        # The query heads that share a key-value head stand below each other.
        grouped = (query * size**-0.5).reshape(batch, kv_heads, heads // kv_heads * length, size)
        scores = (grouped @ key.transpose(-1, -2)).view(batch, heads, length, length) + cover
        shares = scores.softmax(-1).to(value.dtype).view(batch, kv_heads, heads // kv_heads * length, length)
        mixed = (shares @ value).view(batch, heads, length, size)
        return self.o_proj(mixed.transpose(1, 2).reshape(batch, length, heads * size))


class FeedForward(nn.Module):
    def __init__(self, config: Qwen3Config) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, config: Qwen3Config) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = FeedForward(config)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, cover: Tensor) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, cover)
        return x + self.mlp(self.post_attention_layernorm(x))


class Qwen3(nn.Module):
    """Maps token ids to final hidden states. Causal, so rows may be padded on the right without a mask."""

    def __init__(self, config: Qwen3Config) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([Layer(config) for _ in range(config.num_layers)])
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        residual_std = 0.02 / math.sqrt(2 * config.num_layers)
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                into_residual = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(parameter, std=residual_std if into_residual else 0.02)

    def forward(self, ids: Tensor, positions: Tensor | None = None, hidden: Tensor | None = None) -> Tensor:
        """ids [batch, length] -> final states [batch, length, hidden_size]. Positions default to 0, 1, 2, ...
        A token does not see those behind it, nor those that `hidden` [batch, length, length] says."""
        if positions is None:
            positions = torch.arange(ids.shape[1])[None]
        kind = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32
        cos, sin = (angles.to(kind) for angles in rotary_angles(positions, self.config))
        covered = hidden_tokens(ids.shape[1])[None] if hidden is None else hidden
        cover = torch.zeros(covered.shape, dtype=kind).masked_fill_(covered, -1e9)[:, None]
        x = self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x, cos, sin, cover)
        return self.norm(x)

    def logits(self, hidden: Tensor) -> Tensor:
        """The output projection shares its matrix with the input embedding."""
        return F.linear(hidden, self.embed_tokens.weight)
