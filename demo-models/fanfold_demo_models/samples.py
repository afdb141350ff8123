"""Conversations as token ids with a loss mask. A turn is trained exactly as it is served: the prompt is what the
template renders before the turn, and the finished chat must start with that prompt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .chat_template import render, render_prompt
from .conversation import Conversation, Message, Tool, without_reasoning
from .tokenizer import CONTROL_TOKENS, SPECIAL_TOKENS, TURN_END, Tokenizer, split_special
from .world.draw import Draw


@dataclass(frozen=True)
class Sample:
    ids: list[int]
    trained: list[bool]


def render_turn(messages: tuple[Message, ...], conversation: Conversation, thinking: bool) -> tuple[str, str]:
    """The prompt before the last message and the completion that the model has to write, turn end included."""
    tools = list(conversation.tools) or None
    guarded = guarded_messages(messages)
    prompt = render_prompt(guarded[:-1], tools, thinking)
    finished = render(guarded, tools)
    if not finished.startswith(prompt):
        raise ValueError("the finished chat does not start with its own prompt")
    completion = finished[len(prompt) :]
    end = completion.find(TURN_END)
    if end < 0:
        raise ValueError("the completion has no turn end")
    return prompt, completion[: end + len(TURN_END)]


def conversation_samples(tokenizer: Tokenizer, conversation: Conversation, thinking: bool) -> list[Sample]:
    """One sample for each trained assistant turn; turns that extend each other share one sample.
    Thinking mode trains the turns that carry reasoning."""
    chat = conversation if thinking else without_reasoning(conversation)
    samples: list[Sample] = []
    for index, message in enumerate(chat.messages):
        if message["role"] != "assistant" or (thinking and not message.get("reasoning_content")):
            continue
        prompt, completion = render_turn(chat.messages[: index + 1], chat, thinking)
        prompt_ids, completion_ids = encode_guarded(tokenizer, prompt), encode_guarded(tokenizer, completion)
        previous = samples[-1] if samples else None
        trained = [False] * len(prompt_ids)
        if previous and prompt_ids[: len(previous.ids)] == previous.ids:
            trained[: len(previous.trained)] = previous.trained
            samples.pop()
        samples.append(Sample(prompt_ids + completion_ids, trained + [True] * len(completion_ids)))
    return samples


def token_sample(tokenizer: Tokenizer, draw: Draw) -> Sample:
    """Repeats a run of arbitrary tokens: of bytes, also those that no UTF-8 text contains, or of the whole
    vocabulary, so that also the merges that text rarely shows are trained."""
    last = draw.pick([255, len(tokenizer.tokens) - len(SPECIAL_TOKENS) - 1])
    run = [draw.number(0, last) for _ in range(draw.number(4, 16))]
    prompt, completion = "<|im_start|>user\nRepeat: ", "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    before = tokenizer.encode_with_special(prompt) + run + tokenizer.encode_with_special(completion)
    end = tokenizer.encode_with_special("<|im_end|>\n<|endoftext|>")
    return Sample(before + run + end, [False] * len(before) + [True] * (len(run) + len(end)))


def prompt_ids(tokenizer: Tokenizer, messages: list[Message], tools: list[Tool] | None, thinking: bool) -> list[int]:
    """A chat up to where the model starts to write."""
    return encode_guarded(tokenizer, render_prompt(guarded_messages(messages), tools, thinking))


_GUARDS = {token: f"\ue000{index}\ue001" for index, token in enumerate(CONTROL_TOKENS)}


def guarded_messages(messages: Iterable[Message]) -> list[Message]:
    return [_guard(message) for message in messages]


def _guard(message: Message) -> Message:
    """Hides the spelling of control tokens inside a message, so that it stays text when the chat is tokenised."""
    text = message["content"]
    if "<" not in text:
        return message
    for token, cover in _GUARDS.items():
        text = text.replace(token, cover)
    guarded: Message = {**message, "content": text}
    return guarded


def encode_guarded(tokenizer: Tokenizer, text: str) -> list[int]:
    ids: list[int] = []
    for part in split_special(text):
        if part in SPECIAL_TOKENS:
            ids.append(tokenizer.id_of[part])
            continue
        for token, cover in _GUARDS.items():
            part = part.replace(cover, token)
        ids.extend(tokenizer.encode(part))
    return ids
