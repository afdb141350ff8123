"""Learns byte-pair merges from text. The pre-tokeniser is that of Qwen2: digits stand alone, a word keeps
the one character before it, and no merge crosses a piece."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import regex

PRE_TOKEN_PATTERN = (
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_PRE_TOKENS = regex.compile(PRE_TOKEN_PATTERN)

Pair = tuple[str, str]


def byte_alphabet() -> list[str]:
    """One printable character for each byte, as GPT-2 chose them: visible Latin-1 stands for itself,
    the others take the code points from 256 upwards in order."""
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in visible]
    characters = {byte: chr(byte) for byte in visible}
    characters.update({byte: chr(256 + rank) for rank, byte in enumerate(hidden)})
    return [characters[byte] for byte in range(256)]


ALPHABET = byte_alphabet()


def split_pieces(text: str) -> list[str]:
    """The pre-tokens of a text, each spelled in the byte alphabet."""
    return ["".join(ALPHABET[byte] for byte in piece.encode()) for piece in _PRE_TOKENS.findall(text)]


def learn_merges(texts: Iterable[str], size: int, min_frequency: int) -> list[Pair]:
    """Most frequent pair first until `size` merges are learned or none occurs `min_frequency` times.
    Ties break by spelling, so that the result depends on the texts alone."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(split_pieces(text))
    words = [list(word) for word in counts]
    frequencies = list(counts.values())
    pair_counts: Counter[Pair] = Counter()
    homes: defaultdict[Pair, set[int]] = defaultdict(set)
    for index, word in enumerate(words):
        for pair in zip(word, word[1:]):
            pair_counts[pair] += frequencies[index]
            homes[pair].add(index)
    merges: list[Pair] = []
    while len(merges) < size and pair_counts:
        best = max(pair_counts, key=lambda pair: (pair_counts[pair], pair))
        if pair_counts[best] < min_frequency:
            break
        merges.append(best)
        for index in sorted(homes.pop(best)):
            old, new = words[index], merge_word(words[index], best)
            words[index] = new
            for pair in zip(old, old[1:]):
                pair_counts[pair] -= frequencies[index]
            for pair in zip(new, new[1:]):
                pair_counts[pair] += frequencies[index]
                homes[pair].add(index)
        del pair_counts[best]
    return merges


def merge_word(word: list[str], pair: Pair) -> list[str]:
    merged: list[str] = []
    position = 0
    while position < len(word):
        if position + 1 < len(word) and (word[position], word[position + 1]) == pair:
            merged.append(word[position] + word[position + 1])
            position += 2
        else:
            merged.append(word[position])
            position += 1
    return merged
