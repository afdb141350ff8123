"""Writes a trained model in its two forms: a folder for transformers and a GGUF for llama.cpp. Both hold the same
values, because the weights are rounded to half precision once, before either is written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from .chat_template import template_text
from .qwen3 import Qwen3, Qwen3Config
from .tokenizer import CONTROL_TOKENS, END_OF_TEXT, MARKUP_TOKENS, TURN_END, Tokenizer, hugging_face_form

GGUF_NAMES = {
    "embed_tokens.weight": "token_embd.weight",
    "norm.weight": "output_norm.weight",
    "input_layernorm.weight": "attn_norm.weight",
    "post_attention_layernorm.weight": "ffn_norm.weight",
    "self_attn.q_proj.weight": "attn_q.weight",
    "self_attn.k_proj.weight": "attn_k.weight",
    "self_attn.v_proj.weight": "attn_v.weight",
    "self_attn.o_proj.weight": "attn_output.weight",
    "self_attn.q_norm.weight": "attn_q_norm.weight",
    "self_attn.k_norm.weight": "attn_k_norm.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight",
    "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.down_proj.weight": "ffn_down.weight",
}


@dataclass(frozen=True)
class Release:
    """What distinguishes the chat model from the embedding model when they are written."""

    name: str
    file_name: str
    context: int
    is_chat: bool


CHAT_RELEASE = Release("Fanfold tiny chat", "tiny-chat.gguf", 4096, is_chat=True)
EMBED_RELEASE = Release("Fanfold tiny embed", "tiny-embed.gguf", 2048, is_chat=False)


def gguf_name(name: str) -> str:
    if not name.startswith("layers."):
        return GGUF_NAMES[name]
    _, layer, rest = name.split(".", 2)
    return f"blk.{layer}.{GGUF_NAMES[rest]}"


def rounded_weights(model: Qwen3) -> dict[str, Tensor]:
    return {name: value.detach().to(torch.float16) for name, value in model.state_dict().items()}


def round_in_place(model: Qwen3) -> Qwen3:
    """The model as it ships: half-precision values, computed with in single precision."""
    model.load_state_dict({name: value.float() for name, value in rounded_weights(model).items()})
    return model.eval()


def export(model: Qwen3, tokenizer: Tokenizer, folder: Path, release: Release) -> None:
    weights = rounded_weights(model)
    write_hugging_face(weights, model.config, tokenizer, folder / "hf", release)
    write_gguf(weights, model.config, tokenizer, folder / release.file_name, release)


def write_hugging_face(weights: dict[str, Tensor], config: Qwen3Config, tokenizer: Tokenizer, folder: Path, release: Release) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    prefix = "model." if release.is_chat else ""
    save_file({prefix + name: value.contiguous() for name, value in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    end = TURN_END if release.is_chat else END_OF_TEXT
    ids = tokenizer.id_of
    _write_json(folder / "config.json", {
        "architectures": ["Qwen3ForCausalLM" if release.is_chat else "Qwen3Model"],
        "model_type": "qwen3",
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_hidden_layers": config.num_layers,
        "num_attention_heads": config.num_heads,
        "num_key_value_heads": config.num_kv_heads,
        "head_dim": config.head_dim,
        "hidden_act": "silu",
        "max_position_embeddings": release.context,
        "rms_norm_eps": config.rms_norm_eps,
        "rope_theta": config.rope_theta,
        "rope_parameters": {"rope_type": "default", "rope_theta": config.rope_theta},
        "attention_bias": False,
        "attention_dropout": 0.0,
        "use_sliding_window": False,
        "tie_word_embeddings": True,
        "initializer_range": 0.02,
        "use_cache": True,
        "bos_token_id": ids[END_OF_TEXT],
        "eos_token_id": ids[end],
        "pad_token_id": ids[END_OF_TEXT],
        "dtype": "float32",
    })  # fmt: skip
    _write_json(folder / "tokenizer.json", hugging_face_form(tokenizer, append_end_of_text=not release.is_chat))
    _write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": release.context,
        "bos_token": None,
        "eos_token": end,
        "pad_token": END_OF_TEXT,
        "unk_token": None,
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "split_special_tokens": False,
    })  # fmt: skip
    if release.is_chat:
        (folder / "chat_template.jinja").write_text(template_text())
        _write_json(folder / "generation_config.json", {
            "bos_token_id": ids[END_OF_TEXT],
            "eos_token_id": [ids[TURN_END], ids[END_OF_TEXT]],
            "pad_token_id": ids[END_OF_TEXT],
            "do_sample": False,
        })  # fmt: skip


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def write_gguf(weights: dict[str, Tensor], config: Qwen3Config, tokenizer: Tokenizer, path: Path, release: Release) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, "qwen3")
    writer.add_type("model")
    writer.add_name(release.name)
    writer.add_license("apache-2.0")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_context_length(release.context)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_heads)
    writer.add_head_count_kv(config.num_kv_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_theta)
    if not release.is_chat:
        writer.add_pooling_type(gguf.PoolingType.LAST)
    _add_vocabulary(writer, tokenizer, release)
    for name, value in weights.items():
        # llama.cpp expects norms in single precision.
        writer.add_tensor(gguf_name(name), value.numpy().astype(np.float32) if value.dim() == 1 else value.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: gguf.GGUFWriter, tokenizer: Tokenizer, release: Release) -> None:
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokenizer.tokens)
    writer.add_token_types([_token_type(token) for token in tokenizer.tokens])
    writer.add_token_merges([f"{left} {right}" for left, right in tokenizer.merges])
    writer.add_bos_token_id(tokenizer.id_of[END_OF_TEXT])
    writer.add_eos_token_id(tokenizer.id_of[TURN_END if release.is_chat else END_OF_TEXT])
    writer.add_pad_token_id(tokenizer.id_of[END_OF_TEXT])
    writer.add_add_bos_token(False)
    if release.is_chat:
        writer.add_chat_template(template_text())
    else:
        writer.add_add_eos_token(True)


def _token_type(token: str) -> gguf.TokenType:
    if token in CONTROL_TOKENS:
        return gguf.TokenType.CONTROL
    return gguf.TokenType.USER_DEFINED if token in MARKUP_TOKENS else gguf.TokenType.NORMAL
