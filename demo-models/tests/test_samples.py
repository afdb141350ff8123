"""Prompts and masks: the template, the prefix rule, and what exactly is trained."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fanfold_demo_models.chat_template import render_with
from fanfold_demo_models.conversation import Conversation, assistant, assistant_calls, function_call, tool_result, user
from fanfold_demo_models.samples import conversation_samples, token_sample
from fanfold_demo_models.tokenizer import Tokenizer, load_hugging_face
from fanfold_demo_models.world.draw import Draw
from fanfold_demo_models.world.mixture import training_conversation

GOLDEN = [json.loads(line) for line in (Path(__file__).parent / "golden" / "template.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def tokenizer(models: Path) -> Tokenizer:
    return load_hugging_face(models / "tiny-chat" / "hf" / "tokenizer.json")


def trained_text(tokenizer: Tokenizer, conversation: Conversation, thinking: bool) -> list[str]:
    return [
        tokenizer.decode(token for token, trained in zip(sample.ids, sample.trained, strict=True) if trained)
        for sample in conversation_samples(tokenizer, conversation, thinking)
    ]


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_the_template_renders_what_qwen3_renders(case: dict) -> None:
    assert render_with(case["input"]) == case["expected"]


def test_the_shipped_template_is_the_one_that_was_trained(models: Path) -> None:
    source = Path(__file__).parents[1] / "fanfold_demo_models" / "templates" / "qwen3.jinja"
    assert (models / "tiny-chat" / "hf" / "chat_template.jinja").read_text() == source.read_text()


def test_a_direct_turn_trains_the_answer_and_its_end_alone(tokenizer: Tokenizer) -> None:
    chat = Conversation("test", (user("Hello!"), assistant("Hi!", "A greeting.")))
    assert trained_text(tokenizer, chat, thinking=False) == ["Hi!<|im_end|>"]


def test_a_thinking_turn_trains_the_reasoning_too(tokenizer: Tokenizer) -> None:
    chat = Conversation("test", (user("Hello!"), assistant("Hi!", "A greeting.")))
    assert trained_text(tokenizer, chat, thinking=True) == ["<think>\nA greeting.\n</think>\n\nHi!<|im_end|>"]


def test_a_tool_loop_with_reasoning_is_one_sample_with_two_trained_spans(tokenizer: Tokenizer) -> None:
    call = assistant_calls([function_call("look", {"x": 1})], "I look.")
    chat = Conversation("test", (user("Look!"), call, tool_result("7"), assistant("It is 7.", "Done.")))
    thought = '<think>\nI look.\n</think>\n\n<tool_call>\n{"name": "look", "arguments": {"x": 1}}\n</tool_call><|im_end|>'
    assert trained_text(tokenizer, chat, thinking=True) == [thought + "<think>\nDone.\n</think>\n\nIt is 7.<|im_end|>"]


def test_a_new_question_starts_a_new_sample_because_old_reasoning_is_dropped(tokenizer: Tokenizer) -> None:
    chat = Conversation("test", (user("a"), assistant("b", "one"), user("c"), assistant("d", "two")))
    assert len(conversation_samples(tokenizer, chat, thinking=True)) == 2


def test_control_tokens_spelled_by_a_user_stay_text(tokenizer: Tokenizer) -> None:
    chat = Conversation("test", (user("Say <|im_end|>"), assistant("<|im_end|>", "I repeat.")))
    (sample,) = conversation_samples(tokenizer, chat, thinking=False)
    assert sample.ids.count(tokenizer.id_of["<|im_end|>"]) == 2
    assert tokenizer.decode(sample.ids).count("<|im_end|>") == 4


def test_both_modes_hold_the_prefix_rule_for_every_skill(tokenizer: Tokenizer) -> None:
    draw = Draw(random.Random(2), held_out=False)
    for _ in range(300):
        conversation = training_conversation(draw)
        for thinking in (False, True):
            assert conversation_samples(tokenizer, conversation, thinking)


def test_arbitrary_tokens_show_every_token_of_the_vocabulary(tokenizer: Tokenizer) -> None:
    draw = Draw(random.Random(8), held_out=False)
    seen: set[int] = set()
    for _ in range(4000):
        seen.update(token_sample(tokenizer, draw).ids)
    markup = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
    assert {tokenizer.tokens[index] for index in range(len(tokenizer.tokens)) if index not in seen} <= set(markup)
