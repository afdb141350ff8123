"""The byte-level BPE tokeniser of both models: bytes first, then merges, then the special tokens of Qwen3.
Text is not normalised, because llama.cpp does not normalise it either."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import regex

from .byte_pairs import ALPHABET, PRE_TOKEN_PATTERN, Pair, learn_merges, split_pieces

END_OF_TEXT = "<|endoftext|>"
TURN_START = "<|im_start|>"
TURN_END = "<|im_end|>"
CONTROL_TOKENS = (END_OF_TEXT, TURN_START, TURN_END)
MARKUP_TOKENS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
SPECIAL_TOKENS = CONTROL_TOKENS + MARKUP_TOKENS

_BYTE_OF = {character: byte for byte, character in enumerate(ALPHABET)}
_SPECIAL = regex.compile("(" + "|".join(regex.escape(token) for token in SPECIAL_TOKENS) + ")")
_MARKUP = regex.compile("(" + "|".join(regex.escape(token) for token in MARKUP_TOKENS) + ")")


class Tokenizer:
    def __init__(self, merges: list[Pair]) -> None:
        self.merges = merges
        # Two merges may spell the same token; it has one id.
        learned = dict.fromkeys(left + right for left, right in merges)
        self.tokens = [*ALPHABET, *learned, *SPECIAL_TOKENS]
        self.id_of = {token: index for index, token in enumerate(self.tokens)}
        self._rank = {pair: rank for rank, pair in enumerate(merges)}
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Text that somebody wrote: the spelling of a control token is plain text. Markup such as <think> is
        always its token, as in llama.cpp (user-defined tokens) and in transformers (added, not special)."""
        return self._encode_parts(_MARKUP.split(text), MARKUP_TOKENS)

    def encode_with_special(self, text: str) -> list[int]:
        """Rendered text, in which the spelling of a special token means that token."""
        return self._encode_parts(split_special(text), SPECIAL_TOKENS)

    def _encode_parts(self, parts: Iterable[str], tokens: tuple[str, ...]) -> list[int]:
        ids: list[int] = []
        for part in parts:
            if part in tokens:
                ids.append(self.id_of[part])
                continue
            for piece in split_pieces(part):
                ids.extend(self._encode_piece(piece))
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        raw = bytearray()
        for index in ids:
            token = self.tokens[index]
            raw.extend(token.encode() if token in SPECIAL_TOKENS else bytes(_BYTE_OF[c] for c in token))
        return raw.decode("utf-8", "replace")

    def _encode_piece(self, piece: str) -> list[int]:
        known = self._known.get(piece)
        if known is not None:
            return known
        parts = list(piece)
        while len(parts) > 1:
            ranks = [self._rank.get(pair, len(self.merges)) for pair in zip(parts, parts[1:])]
            lowest = min(ranks)
            if lowest == len(self.merges):
                break
            at = ranks.index(lowest)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        ids = [self.id_of[part] for part in parts]
        if len(self._known) < 200_000:
            self._known[piece] = ids
        return ids


def split_special(text: str) -> list[str]:
    return [part for part in _SPECIAL.split(text) if part]


def train_tokenizer(texts: Iterable[str], vocabulary: int, min_frequency: int) -> Tokenizer:
    """Special tokens in the texts are cut out first, so that no merge ever spells a part of one."""
    plain = (part for text in texts for part in split_special(text) if part not in SPECIAL_TOKENS)
    size = vocabulary - len(ALPHABET) - len(SPECIAL_TOKENS)
    return Tokenizer(learn_merges(plain, size, min_frequency))


def save_merges(tokenizer: Tokenizer, path: Path) -> None:
    path.write_text(json.dumps([list(pair) for pair in tokenizer.merges], ensure_ascii=False))


def load_merges(path: Path) -> Tokenizer:
    return Tokenizer([(left, right) for left, right in json.loads(path.read_text())])


def hugging_face_form(tokenizer: Tokenizer, append_end_of_text: bool) -> dict[str, object]:
    """The content of tokenizer.json, which transformers and the `tokenizers` library load."""
    first_special = len(tokenizer.tokens) - len(SPECIAL_TOKENS)
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": PRE_TOKEN_PATTERN}, "behavior": "Isolated", "invert": False}
    end = tokenizer.id_of[END_OF_TEXT]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": first_special + rank,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": token in CONTROL_TOKENS,
            }
            for rank, token in enumerate(SPECIAL_TOKENS)
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": _append_token(END_OF_TEXT, end) if append_end_of_text else byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: index for index, token in enumerate(tokenizer.tokens[:first_special])},
            "merges": [list(pair) for pair in tokenizer.merges],
        },
    }


def _append_token(token: str, index: int) -> dict[str, object]:
    after = {"SpecialToken": {"id": token, "type_id": 0}}
    first = {"Sequence": {"id": "A", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 0}}
    return {
        "type": "TemplateProcessing",
        "single": [first, after],
        "pair": [first, after, second, after],
        "special_tokens": {token: {"id": token, "ids": [index], "tokens": [token]}},
    }


def load_hugging_face(path: Path) -> Tokenizer:
    """The tokeniser of a shipped tokenizer.json that this package wrote."""
    return Tokenizer([(left, right) for left, right in json.loads(path.read_text())["model"]["merges"]])
