"""Writes the trained models to the folder they ship from: `python -m fanfold_demo_models.release --work FOLDER --models FOLDER`.
It exports the last checkpoint, also of a training that has not finished."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

from . import train_chat, train_embed
from .checkpoint import load_checkpoint
from .export import CHAT_RELEASE, EMBED_RELEASE, Release, export, round_in_place
from .qwen3 import Qwen3, Qwen3Config
from .tokenizer import Tokenizer, load_merges

CHAT_FOLDER, EMBED_FOLDER = "tiny-chat", "tiny-embed"


def load_trained(folder: Path, config: Qwen3Config) -> tuple[Qwen3, int]:
    """The model of the last checkpoint as it ships, and the number of its steps."""
    model = Qwen3(config)
    steps = load_checkpoint(folder, model, [])
    if steps == 0:
        raise SystemExit(f"no checkpoint in {folder}: train first")
    return round_in_place(model), steps


def release(work: Path, models: Path) -> None:
    chat_tokenizer = load_merges(work / "chat" / "merges.json")
    chat, chat_steps = load_trained(work / "chat", train_chat.chat_config(len(chat_tokenizer.tokens)))
    publish(chat, chat_tokenizer, models / CHAT_FOLDER, CHAT_RELEASE, chat_steps)
    embed_tokenizer = load_merges(work / "embed" / "merges.json")
    embed, embed_steps = load_trained(work / "embed", train_embed.embed_config(len(embed_tokenizer.tokens)))
    publish(embed, embed_tokenizer, models / EMBED_FOLDER, EMBED_RELEASE, embed_steps)


def publish(model: Qwen3, tokenizer: Tokenizer, folder: Path, form: Release, steps: int) -> None:
    export(model, tokenizer, folder, form)
    file = folder / form.file_name
    manifest = {
        "file": form.file_name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "bytes": file.stat().st_size,
        "parameters": sum(value.numel() for value in model.parameters()),
        "vocabulary": len(tokenizer.tokens),
        "training_steps": steps,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=Path, required=True, help="folder with the checkpoints")
    parser.add_argument("--models", type=Path, required=True, help="folder to write the two models to")
    arguments = parser.parse_args()
    release(arguments.work, arguments.models)


if __name__ == "__main__":
    main()
