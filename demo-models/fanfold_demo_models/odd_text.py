"""Strings that break tokenisers: scripts, emoji, combining marks, white space, control characters, digits, markup."""

from __future__ import annotations

import random

from .tokenizer import SPECIAL_TOKENS

_PIECES = (
    "Hello", "world", "don't", "WE'LL", "it's", "I'Ve", "naïve", "Straße", "e\u0301", "ﬁne", "日本語", "中文", "한국어", "Привет", "Ωμέγα",
    "עברית", "العربية", "हिन्दी", "ไทย", "😀", "👩‍👩‍👧‍👦", "🇳🇴", "👍🏽", "½", "Ⅷ", "٣٤", "12345", "3.14", "1e-9", " ", "  ", "     ", "\t", "\t\t",
    "\n", "\r\n", "\n\n\n", "\r", " \n ", "\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff", "\x00", "\x01", "\x1b", "\x7f", "\u0085",
    "{\"a\": 1}", "<b>", "</b>", "&amp;", "'", "''", '"', "`", "``", "...", "--", "->", "!=", "$%^", "a_b", "CamelCase", "x=1;", "#", "@me",
    "<|", "|>", "<|im", "_start|>", "<think", "think>", "\ue000", "\ufffd", "\U0010ffff", "ſ", "İ", "ǅ", "ª", "º", "'ſ", "K",
)  # fmt: skip


def odd_strings(chooser: random.Random, count: int) -> list[str]:
    """Valid Unicode without lone surrogates, up to about sixty characters each."""
    return [_odd_string(chooser) for _ in range(count)]


def _odd_string(chooser: random.Random) -> str:
    parts: list[str] = []
    for _ in range(chooser.randint(1, 8)):
        kind = chooser.random()
        if kind < 0.7:
            parts.append(chooser.choice(_PIECES))
        elif kind < 0.8:
            parts.append(chooser.choice(SPECIAL_TOKENS))
        elif kind < 0.9:
            parts.append("".join(chr(chooser.randint(32, 126)) for _ in range(chooser.randint(1, 8))))
        else:
            parts.append(_random_character(chooser))
    return chooser.choice(["", "", " "]).join(parts)


def _random_character(chooser: random.Random) -> str:
    while True:
        point = chooser.randint(0, 0x10FFFF) if chooser.random() < 0.4 else chooser.randint(0, 0x2FFF)
        if not 0xD800 <= point <= 0xDFFF:
            return chr(point)
