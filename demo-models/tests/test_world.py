"""The generated data: the same seed gives the same data, and nothing held out is ever trained."""

from __future__ import annotations

import json
import random
import re

from fanfold_demo_models.fixtures import shipped_examples
from fanfold_demo_models.held_out import chat_examples, search_task
from fanfold_demo_models.tokenizer import load_hugging_face
from fanfold_demo_models.world.arithmetic import SIGNS, arithmetic, draw_problem, is_held_out_pair
from fanfold_demo_models.world.draw import Draw
from fanfold_demo_models.world.drills import arithmetic_drill
from fanfold_demo_models.world.island import FACTS
from fanfold_demo_models.world.long_chats import long_chat
from fanfold_demo_models.world.matching import training_triple
from fanfold_demo_models.world.mixture import SKILLS, training_conversation
from fanfold_demo_models.world.products import ATTRIBUTES
from fanfold_demo_models.world.smalltalk import EXCHANGES


def training_questions(seed: int, count: int) -> set[str]:
    draw = Draw(random.Random(seed), held_out=False)
    conversations = [training_conversation(draw) for _ in range(count)] + [long_chat(draw, 600) for _ in range(count // 30)]
    return {message["content"] for conversation in conversations for message in conversation.messages if message["role"] == "user"}


def test_the_same_seed_gives_the_same_conversations() -> None:
    first = [training_conversation(Draw(random.Random(seed), False)) for seed in range(60)]
    again = [training_conversation(Draw(random.Random(seed), False)) for seed in range(60)]
    assert first == again


def test_the_same_seed_gives_the_same_triples() -> None:
    assert [training_triple(Draw(random.Random(seed), False)) for seed in range(60)] == [
        training_triple(Draw(random.Random(seed), False)) for seed in range(60)
    ]


def test_every_skill_can_be_drawn_on_both_sides_of_the_split() -> None:
    for held_out in (False, True):
        draw = Draw(random.Random(3), held_out)
        for generate, _ in SKILLS.values():
            for _ in range(200):
                assert generate(draw).messages[-1]["role"] == "assistant"


def test_no_held_out_question_is_trained() -> None:
    trained = training_questions(11, 6000)
    # A follow-up such as "What's my name?" gets its answer from earlier turns, so it is judged by the whole chat.
    asked = [example for example in chat_examples(20, both_modes=False) if example["skill"] != "tool_answer"]
    for example in asked:
        assert example["messages"][-1]["content"] not in trained, example["skill"]


def test_held_out_operands_are_never_trained() -> None:
    draw = Draw(random.Random(5), held_out=False)
    for _ in range(5000):
        word, a, b = draw_problem(draw)
        assert not is_held_out_pair(word, a, b)
        assert word != "plus" or not is_held_out_pair(word, b, a)


def test_no_working_states_a_held_out_pair_as_an_equation() -> None:
    draw = Draw(random.Random(15), held_out=False)
    signs = {sign: word for word, sign in SIGNS.items()}
    stated: set[tuple[str, int, int]] = set()
    for _ in range(6000):
        for message in (arithmetic_drill(draw) if draw.chance(0.5) else arithmetic(draw)).messages:
            text = f"{message['content']} {message.get('reasoning_content', '')}"
            stated |= {(signs[sign], int(a), int(b)) for a, sign, b in re.findall(r"(\d+) ?([-+*]) ?(\d+)", text)}
    assert len(stated) > 800
    assert not [pair for pair in stated if is_held_out_pair(*pair)]


def test_facts_and_greetings_keep_their_last_phrasing_for_measuring() -> None:
    trained = {question.lower().rstrip("?.!") for question in training_questions(12, 6000)}
    kept = [questions[-1] for _, questions, _ in FACTS] + [asked[-1] for asked, _, _ in EXCHANGES]
    assert not [question for question in kept if question.lower().rstrip("?.!") in trained]


def test_no_phrasing_of_a_fact_is_repeated() -> None:
    for _, questions, _ in FACTS:
        assert len(set(questions)) == len(questions) == 5
    for attribute in ATTRIBUTES:
        assert len(set(attribute.questions)) == len(attribute.questions)
        assert len(set(attribute.passages)) == len(attribute.passages)


def test_held_out_search_uses_products_and_words_that_training_never_shows() -> None:
    draw = Draw(random.Random(6), held_out=False)
    trained: set[str] = set()
    for _ in range(6000):
        triple = training_triple(draw)
        trained |= {triple.query, triple.positive, triple.negative}
    task = search_task()
    assert not trained & {row["text"] for row in [*task.documents, *task.queries]}


def test_the_shipped_examples_are_those_of_the_generator(models) -> None:
    shipped = [json.loads(line) for line in (models / "tiny-chat" / "heldout.jsonl").read_text().splitlines()]
    tokenizer = load_hugging_face(models / "tiny-chat" / "hf" / "tokenizer.json")
    assert shipped == json.loads(json.dumps(shipped_examples(tokenizer)))
    rows = [json.loads(line) for line in (models / "tiny-embed" / "heldout.jsonl").read_text().splitlines()]
    task = search_task()
    assert rows == [*task.documents, *task.queries]
