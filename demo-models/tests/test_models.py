"""The shipped models: both forms hold the same values, compute what transformers computes, and are as good as promised."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import Qwen3ForCausalLM, Qwen3Model

from fanfold_demo_models.export import gguf_name
from fanfold_demo_models.held_out import chat_examples, search_task
from fanfold_demo_models.measure import chat_scores, search_scores
from fanfold_demo_models.qwen3 import Qwen3, Qwen3Config
from fanfold_demo_models.train_chat import chat_config
from fanfold_demo_models.train_embed import embed_config

BOTH = pytest.mark.parametrize("name", ["tiny-chat", "tiny-embed"])


def shipped_weights(folder: Path) -> dict[str, torch.Tensor]:
    return {name.removeprefix("model."): value for name, value in load_file(folder / "hf" / "model.safetensors").items()}


@BOTH
def test_the_gguf_holds_the_values_of_the_hugging_face_form(models: Path, name: str) -> None:
    reader = gguf.GGUFReader(models / name / f"{name}.gguf")
    written = {tensor.name: tensor.data for tensor in reader.tensors}
    weights = shipped_weights(models / name)
    assert written.keys() == {gguf_name(key) for key in weights}
    for key, value in weights.items():
        assert np.array_equal(written[gguf_name(key)].astype(np.float32), value.float().numpy()), key


@BOTH
def test_the_manifest_names_the_file_by_its_digest(models: Path, name: str) -> None:
    manifest = json.loads((models / name / "manifest.json").read_text())
    content = (models / name / manifest["file"]).read_bytes()
    assert manifest["sha256"] == hashlib.sha256(content).hexdigest()
    assert manifest["bytes"] == len(content)


@BOTH
def test_the_gguf_says_what_the_server_needs_to_know(models: Path, name: str) -> None:
    fields = gguf.GGUFReader(models / name / f"{name}.gguf").fields
    assert fields["general.architecture"].contents() == "qwen3"
    assert fields["tokenizer.ggml.pre"].contents() == "qwen2"
    assert fields["tokenizer.ggml.add_bos_token"].contents() is False
    tokens = fields["tokenizer.ggml.tokens"].contents()
    end = tokens[fields["tokenizer.ggml.eos_token_id"].contents()]
    if name == "tiny-chat":
        template = (models / name / "hf" / "chat_template.jinja").read_text()
        assert (end, fields["qwen3.context_length"].contents()) == ("<|im_end|>", 4096)
        assert fields["tokenizer.chat_template"].contents() == template
    else:
        assert (end, fields["qwen3.context_length"].contents()) == ("<|endoftext|>", 2048)
        assert fields["qwen3.pooling_type"].contents() == gguf.PoolingType.LAST
        assert fields["tokenizer.ggml.add_eos_token"].contents() is True


def our_model(folder: Path, config_of: Callable[[int], Qwen3Config]) -> Qwen3:
    weights = shipped_weights(folder)
    model = Qwen3(config_of(weights["embed_tokens.weight"].shape[0]))
    model.load_state_dict({name: value.float() for name, value in weights.items()})
    return model


def test_our_chat_model_computes_the_logits_of_transformers(models: Path) -> None:
    ours = our_model(models / "tiny-chat", chat_config)
    theirs = Qwen3ForCausalLM.from_pretrained(models / "tiny-chat" / "hf", local_files_only=True, dtype=torch.float32)
    ids = torch.randint(0, ours.config.vocab_size, (2, 70), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        assert torch.allclose(ours.logits(ours(ids)), theirs(input_ids=ids).logits, atol=2e-3)


def test_our_embedding_model_computes_the_hidden_states_of_transformers(models: Path) -> None:
    ours = our_model(models / "tiny-embed", embed_config)
    theirs = Qwen3Model.from_pretrained(models / "tiny-embed" / "hf", local_files_only=True, dtype=torch.float32)
    ids = torch.randint(0, ours.config.vocab_size, (2, 70), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        assert torch.allclose(ours(ids), theirs(input_ids=ids).last_hidden_state, atol=2e-3)


def test_the_chat_model_is_as_good_as_promised(models: Path) -> None:
    """A third of the held-out examples; the floors of the full set with room for the smaller sample."""
    floors = json.loads((models / "floors.json").read_text())["tiny-chat"]["exact_match"]
    examples = [example for rank, example in enumerate(chat_examples(20, both_modes=False)) if rank % 3 == 0]
    scores = chat_scores(models / "tiny-chat", examples)
    for skill, modes in scores.items():
        assert sum(modes.values()) / len(modes) >= floors[skill] - 0.2, skill
    overall = [value for modes in scores.values() for value in modes.values()]
    assert sum(overall) / len(overall) >= sum(floors.values()) / len(floors)


def test_the_embedding_model_is_as_good_as_promised(models: Path) -> None:
    floors = json.loads((models / "floors.json").read_text())["tiny-embed"]
    scores = search_scores(models / "tiny-embed", search_task())
    assert scores["model"]["recall@1"] >= floors["recall@1"]
    assert scores["model"]["ndcg@10"] >= floors["ndcg@10"]
    assert scores["model"]["ndcg@10"] > scores["bm25"]["ndcg@10"]
