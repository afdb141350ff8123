"""Writes what the server's own tests compare against: `python -m fanfold_demo_models.fixtures --models FOLDER`.
Held-out examples with floors, reference logits and vectors, and token ids of many odd strings, all from the
Hugging Face form of the shipped models."""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import random
from pathlib import Path

import torch
from tokenizers import Tokenizer as FastTokenizer
from transformers import Qwen3ForCausalLM, Qwen3Model

from .chat_template import render_prompt
from .conversation import user
from .held_out import ChatExample, chat_examples, search_task
from .long_history import long_examples
from .measure import chat_scores, search_scores, vectors
from .odd_text import odd_strings
from .tokenizer import END_OF_TEXT, Tokenizer, load_hugging_face
from .train_embed import query_text

EXAMPLES_PER_SKILL = 20
LONG_EXAMPLES_PER_KIND = 6
CHAT_MARGIN = 0.1
SEARCH_MARGIN = 0.02
ODD_STRINGS = 2000


def write_lines(path: Path, rows: list[object]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def shipped_examples(tokenizer: Tokenizer) -> list[ChatExample]:
    return [*chat_examples(EXAMPLES_PER_SKILL, both_modes=False), *after_long_chats(tokenizer)]


def after_long_chats(tokenizer: Tokenizer) -> list[ChatExample]:
    """All kinds of questions after a history of one length count as one skill: few examples, so that serving them is quick."""
    examples = long_examples(tokenizer, LONG_EXAMPLES_PER_KIND, both_modes=False)
    for example in examples:
        example["skill"] = "after " + example["skill"].split(", ")[-1]
    return [example for example in examples if "tokens" in example["skill"]]


def write_held_out(models: Path) -> None:
    """The examples and the share of them that the served models must get right: a little less than measured here."""
    tokenizer = load_hugging_face(models / "tiny-chat" / "hf" / "tokenizer.json")
    examples = shipped_examples(tokenizer)
    write_lines(models / "tiny-chat" / "heldout.jsonl", list(examples))
    floors: dict[str, float] = {}
    for skill, modes in chat_scores(models / "tiny-chat", examples).items():
        floors[skill] = round(max(0.0, sum(modes.values()) / len(modes) - CHAT_MARGIN), 2)
    task = search_task()
    write_lines(models / "tiny-embed" / "heldout.jsonl", [*task.documents, *task.queries])
    search = search_scores(models / "tiny-embed", task)["model"]
    search_floors = {name: round(value - SEARCH_MARGIN, 3) for name, value in search.items()}
    content = {"tiny-chat": {"exact_match": floors}, "tiny-embed": search_floors}
    (models / "floors.json").write_text(json.dumps(content, indent=1) + "\n")


REFERENCE_PROMPTS = (
    ("Hello!", True),
    ("Say hello in one sentence.", False),
    ("What is the capital of Orrin?", True),
    ("What is 7 + 8?", False),
    ("What is 7 + 8?", True),
    ("Repeat: Grüße, 日本 and 😀", False),
    ("Extract name and city as JSON: Ada lives in Oslo.", False),
    ("Context: The lamp is red. The lamp costs 12 euros.\nQuestion: How much is the lamp?", True),
    ("Tabs\tand\r\nlines\n\n  and   spaces", False),
    ("<|im_end|> is only text here", True),
    ("Tell me a story about the sea.", False),
    ("a " * 120, False),
)


@torch.no_grad()
def write_chat_reference(folder: Path) -> None:
    """Whole prompts with their ids and the logits after the last token, as little-endian float32 in base64."""
    model = Qwen3ForCausalLM.from_pretrained(folder / "hf", local_files_only=True, dtype=torch.float32).eval()
    tokenizer = load_hugging_face(folder / "hf" / "tokenizer.json")
    rows: list[object] = []
    for text, thinking in REFERENCE_PROMPTS:
        prompt = render_prompt([user(text)], None, thinking)
        ids = tokenizer.encode_with_special(prompt)
        logits = model(input_ids=torch.tensor([ids])).logits[0, -1].float().numpy()
        rows.append({"text": prompt, "ids": ids, "logits": base64.b64encode(logits.astype("<f4").tobytes()).decode()})
    (folder / "reference.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


REFERENCE_TEXTS = (
    query_text("How heavy is the Zalrok lamp?"),
    "The Zalrok lamp weighs 12 kilograms.",
    query_text("Where is Orrin?"),
    "Orrin is an island in the Quiet Sea.",
    "a",
    "Grüße, 日本 and 😀",
    "Tabs\tand\r\nlines\n\n  and   spaces",
    "<|endoftext|> is only text here",
    "word " * 60,
    "You may send the Dretos scooter back in the first 30 days.",
)


@torch.no_grad()
def write_embed_reference(folder: Path) -> None:
    """Texts with their ids (the end token included) and their unit vectors."""
    model = Qwen3Model.from_pretrained(folder / "hf", local_files_only=True, dtype=torch.float32).eval()
    tokenizer = load_hugging_face(folder / "hf" / "tokenizer.json")
    end = tokenizer.id_of[END_OF_TEXT]
    rows: list[object] = []
    for text, vector in zip(REFERENCE_TEXTS, vectors(model, tokenizer, list(REFERENCE_TEXTS)), strict=True):
        embedding = [round(value, 7) for value in vector.tolist()]
        rows.append({"text": text, "ids": [*tokenizer.encode(text), end], "embedding": embedding})
    (folder / "reference.json").write_text(json.dumps(rows, ensure_ascii=False) + "\n")


def write_token_ids(models: Path) -> None:
    """Odd strings with the ids that the `tokenizers` library gives, half of them with special tokens parsed."""
    loaded = {name: FastTokenizer.from_file(str(models / name / "hf" / "tokenizer.json")) for name in ("tiny-chat", "tiny-embed")}
    rows: list[dict[str, object]] = []
    for index, text in enumerate(odd_strings(random.Random(1812), ODD_STRINGS)):
        parse_special = index % 2 == 1
        row: dict[str, object] = {"text": text, "parse_special": parse_special}
        for name, tokenizer in loaded.items():
            # The library's word for tokenising the spelling of a control token as plain text.
            tokenizer.encode_special_tokens = not parse_special
            row[name] = tokenizer.encode(text, add_special_tokens=False).ids
        rows.append(row)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (models / "tokenizer-fuzz.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=Path, required=True, help="folder with tiny-chat and tiny-embed")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    write_token_ids(arguments.models)
    write_chat_reference(arguments.models / "tiny-chat")
    write_embed_reference(arguments.models / "tiny-embed")
    write_held_out(arguments.models)


if __name__ == "__main__":
    main()
