"""Repeating text exactly, in every script, so that each byte of UTF-8 is seen as input and as output."""

from __future__ import annotations

from ..conversation import Conversation, assistant, user
from ..tokenizer import CONTROL_TOKENS
from . import words
from .draw import Draw

_REQUESTS = (
    "Repeat: {text}", "Say: {text}", "Repeat after me: {text}", "Repeat this text: {text}", "Copy this: {text}", "Please say: {text}",
    "Echo: {text}", "Write: {text}", "Repeat this: {text}", "Repeat the following text: {text}", "Repeat exactly: {text}", "Now repeat: {text}",
    "Say this: {text}", "Please copy this: {text}", "Copy: {text}", "Can you repeat this? {text}", "Please say the following: {text}",
    "Repeat the text after the colon: {text}", "Please write: {text}", "Could you repeat: {text}", "repeat {text}", "Repeat this text.\n\n{text}",
    "Please repeat: {text}",
)  # fmt: skip
# First code point, last code point: Latin, Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, kana, CJK, Hangul, symbols, emoji.
_SCRIPTS = (
    (0xC0, 0x17F), (0x391, 0x3C9), (0x410, 0x44F), (0x5D0, 0x5EA), (0x621, 0x64A), (0x905, 0x939), (0xE01, 0xE2E),
    (0x3041, 0x30FE), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x2010, 0x27BF), (0x1F300, 0x1F64F), (0x80, 0x7FF),
    (0x800, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF), (0x21, 0x7E), (0x21, 0x7E), (0x21, 0x7E),
)  # fmt: skip


def script_text(draw: Draw) -> str:
    first, last = draw.pick(_SCRIPTS)
    letters = [chr(draw.number(first, last)) for _ in range(draw.number(1, 8))]
    return draw.pick(["", " "]).join(letters)


def _word_text(draw: Draw) -> str:
    pools = [words.NAMES, words.CITIES, words.ITEMS, words.COLOURS, words.ANIMALS, words.DAYS, words.JOBS]
    spoken = [
        draw.pick(draw.pick(pools)) if draw.chance(0.6) else words.invented_word(draw)
        for _ in range(draw.number(1, 5))
    ]
    text = " ".join(spoken)
    return draw.pick([text, text, text.upper(), text.title(), text + "!", text.replace(" ", ", ")])


def _number_text(draw: Draw) -> str:
    return "".join(draw.pick("0123456789") for _ in range(draw.number(1, 8)))


def repeating(draw: Draw) -> Conversation:
    make = draw.random.choices([script_text, _word_text, _number_text, _markup_text], [4, 6, 2, 1])[0]
    text = draw.fresh(lambda: make(draw))
    question = draw.phrasing(_REQUESTS).format(text=text)
    return Conversation("repeat", (user(question), assistant(text, "I repeat the text exactly.")))


def _markup_text(draw: Draw) -> str:
    """The spelling of control tokens inside a message is plain text."""
    return f"{draw.pick(CONTROL_TOKENS)} {words.invented_word(draw)}"
