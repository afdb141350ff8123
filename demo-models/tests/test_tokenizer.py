"""Our tokeniser and the shipped tokenizer.json, loaded by the `tokenizers` library, agree on odd text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer as FastTokenizer
from transformers import AutoTokenizer

from fanfold_demo_models.odd_text import odd_strings
from fanfold_demo_models.tokenizer import CONTROL_TOKENS, SPECIAL_TOKENS, load_hugging_face, train_tokenizer

BOTH = pytest.mark.parametrize("name", ["tiny-chat", "tiny-embed"])


@BOTH
def test_ids_are_those_of_the_tokenizers_library(models: Path, name: str) -> None:
    path = models / name / "hf" / "tokenizer.json"
    ours, theirs = load_hugging_face(path), FastTokenizer.from_file(str(path))
    for text in odd_strings(random.Random(41), 3000):
        theirs.encode_special_tokens = False
        assert ours.encode_with_special(text) == theirs.encode(text, add_special_tokens=False).ids, repr(text)
        theirs.encode_special_tokens = True
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids, repr(text)


@BOTH
def test_transformers_loads_the_same_tokenizer(models: Path, name: str) -> None:
    folder = models / name / "hf"
    ours, theirs = load_hugging_face(folder / "tokenizer.json"), AutoTokenizer.from_pretrained(folder, local_files_only=True)
    for text in odd_strings(random.Random(42), 300):
        assert ours.encode_with_special(text) == theirs(text, add_special_tokens=False).input_ids
        assert ours.encode(text) == theirs(text, add_special_tokens=False, split_special_tokens=True).input_ids


@BOTH
def test_every_text_survives_the_round_trip(models: Path, name: str) -> None:
    tokenizer = load_hugging_face(models / name / "hf" / "tokenizer.json")
    for text in odd_strings(random.Random(43), 1000):
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert tokenizer.decode(tokenizer.encode_with_special(text)) == text


def test_the_embedding_tokenizer_appends_its_end_token(models: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(models / "tiny-embed" / "hf", local_files_only=True)
    assert tokenizer("hello").input_ids[-1] == tokenizer.eos_token_id == tokenizer.convert_tokens_to_ids("<|endoftext|>")


def test_control_text_is_plain_and_markup_is_always_its_token(models: Path) -> None:
    tokenizer = load_hugging_face(models / "tiny-chat" / "hf" / "tokenizer.json")
    for token in SPECIAL_TOKENS:
        assert tokenizer.encode_with_special(token) == [tokenizer.id_of[token]]
        assert (tokenizer.encode(token) == [tokenizer.id_of[token]]) == (token not in CONTROL_TOKENS)


def test_training_learns_frequent_pairs_first_and_keeps_all_bytes() -> None:
    tokenizer = train_tokenizer(["low lower lowest <|im_end|>"] * 40, vocabulary=300, min_frequency=30)
    assert tokenizer.merges[0] in {("l", "o"), ("o", "w")}
    assert len(tokenizer.tokens) == 256 + len(tokenizer.merges) + len(SPECIAL_TOKENS)
    assert tokenizer.decode(tokenizer.encode("übrig")) == "übrig"
