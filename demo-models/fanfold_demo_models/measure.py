"""Measures the shipped models on held-out examples: `python -m fanfold_demo_models.measure --models FOLDER`.
Both are loaded in the Hugging Face form; answers are greedy and have to match exactly."""

from __future__ import annotations

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import Qwen3ForCausalLM, Qwen3Model

from .held_out import ChatExample, Expected, SearchTask, chat_examples, every_sum, search_task
from .long_history import long_examples
from .samples import prompt_ids
from .tokenizer import END_OF_TEXT, TURN_END, Tokenizer, load_hugging_face
from .train_embed import query_text

LONGEST_ANSWER = 220
_CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


@torch.no_grad()
def answers(model: Qwen3ForCausalLM, tokenizer: Tokenizer, examples: list[ChatExample], batch: int = 32) -> list[str]:
    """The greedy completion of each example, without its turn end."""
    prompts = [prompt_ids(tokenizer, example["messages"], example.get("tools"), example["thinking"]) for example in examples]
    end, pad = tokenizer.id_of[TURN_END], tokenizer.id_of[END_OF_TEXT]
    texts = [""] * len(examples)
    by_length = sorted(range(len(examples)), key=lambda index: len(prompts[index]))
    for start in range(0, len(by_length), batch):
        group = by_length[start : start + batch]
        width = max(len(prompts[index]) for index in group)
        ids = torch.tensor([[pad] * (width - len(prompts[index])) + prompts[index] for index in group])
        mask = torch.tensor([[0] * (width - len(prompts[index])) + [1] * len(prompts[index]) for index in group])
        output = model.generate(
            input_ids=ids, attention_mask=mask, max_new_tokens=LONGEST_ANSWER, do_sample=False, eos_token_id=[end, pad], pad_token_id=pad
        )
        for index, row in zip(group, output[:, width:].tolist(), strict=True):
            stop = next((at for at, token in enumerate(row) if token in (end, pad)), len(row))
            texts[index] = tokenizer.decode(row[:stop])
    return texts


def is_right(completion: str, expected: Expected, thinking: bool) -> bool:
    """Thinking answers must close their reasoning; the content or the calls after it must be exact."""
    reasoning, closed, rest = completion.partition("</think>")
    if thinking != bool(closed) or (thinking and not reasoning.startswith("<think>\n")):
        return False
    visible = (rest if thinking else completion).strip()
    if "tool_calls" not in expected:
        return visible == expected.get("content", "").strip()
    try:
        return [json.loads(call) for call in _CALL.findall(visible)] == expected["tool_calls"]
    except ValueError:
        return False


def chat_scores(folder: Path, examples: list[ChatExample], show: int = 0) -> dict[str, dict[str, float]]:
    """The share of right answers: skill -> mode ("direct" or "thinking") -> share."""
    model = Qwen3ForCausalLM.from_pretrained(folder / "hf", local_files_only=True, dtype=torch.float32).eval()
    tokenizer = load_hugging_face(folder / "hf" / "tokenizer.json")
    right: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for example, completion in zip(examples, answers(model, tokenizer, examples), strict=True):
        good = is_right(completion, example["expected"], example["thinking"])
        right[example["skill"], "thinking" if example["thinking"] else "direct"].append(good)
        if not good and show > 0:
            show -= 1
            print(json.dumps({"skill": example["skill"], "asked": example["messages"][-1]["content"], "expected": example["expected"], "got": completion}, ensure_ascii=False))
    scores: dict[str, dict[str, float]] = {}
    for (skill, mode), results in right.items():
        scores.setdefault(skill, {})[mode] = round(sum(results) / len(results), 3)
    return scores


@torch.no_grad()
def vectors(model: Qwen3Model, tokenizer: Tokenizer, texts: list[str], batch: int = 50) -> torch.Tensor:
    parts: list[torch.Tensor] = []
    for start in range(0, len(texts), batch):
        rows = [tokenizer.encode(text) + [tokenizer.id_of[END_OF_TEXT]] for text in texts[start : start + batch]]
        ids = torch.zeros(len(rows), max(len(row) for row in rows), dtype=torch.long)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = torch.tensor(row)
        hidden = model(input_ids=ids).last_hidden_state
        parts.append(hidden[torch.arange(len(rows)), torch.tensor([len(row) - 1 for row in rows])])
    return F.normalize(torch.cat(parts), dim=-1)


def search_scores(folder: Path, task: SearchTask) -> dict[str, dict[str, float]]:
    model = Qwen3Model.from_pretrained(folder / "hf", local_files_only=True, dtype=torch.float32).eval()
    tokenizer = load_hugging_face(folder / "hf" / "tokenizer.json")
    documents = [document["text"] for document in task.documents]
    queries = [query_text(query["text"], query["instruction"]) for query in task.queries]
    similarity = vectors(model, tokenizer, queries) @ vectors(model, tokenizer, documents).T
    words_alone = torch.tensor([bm25(query["text"], documents) for query in task.queries])
    return {"model": ranking(similarity, task), "bm25": ranking(words_alone, task)}


def ranking(similarity: torch.Tensor, task: SearchTask) -> dict[str, float]:
    """recall@1 and nDCG@10 where each query has one relevant document; ties count against it."""
    ranks: list[int] = []
    for row, query in zip(similarity, task.queries, strict=True):
        ranks.append(int((row >= row[query["relevant"][0]]).sum()))
    return {
        "recall@1": round(sum(rank == 1 for rank in ranks) / len(ranks), 3),
        "ndcg@10": round(sum(1 / math.log2(rank + 1) for rank in ranks if rank <= 10) / len(ranks), 3),
    }


def bm25(query: str, documents: list[str], k: float = 1.2, b: float = 0.75) -> list[float]:
    """Okapi BM25 over lower-cased words: the baseline that knows words and no meaning."""
    bags = [Counter(re.findall(r"\w+", document.lower())) for document in documents]
    frequency = Counter(word for bag in bags for word in bag)
    average = sum(bag.total() for bag in bags) / len(bags)
    scores: list[float] = []
    for bag in bags:
        score = 0.0
        for word in re.findall(r"\w+", query.lower()):
            if word in bag:
                rarity = math.log(1 + (len(bags) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                score += rarity * bag[word] * (k + 1) / (bag[word] + k * (1 - b + b * bag.total() / average))
        scores.append(score)
    return scores


def chat_table(title: str, scores: dict[str, dict[str, float]]) -> str:
    lines = [f"| {title} | direct | thinking |", "|---|---|---|"]
    lines += [f"| {skill} | {modes['direct']:.2f} | {modes['thinking']:.2f} |" for skill, modes in scores.items()]
    return "\n".join(lines)


def search_table(scores: dict[str, dict[str, float]]) -> str:
    lines = ["| ranking by | recall@1 | nDCG@10 |", "|---|---|---|"]
    lines += [f"| {name} | {values['recall@1']:.3f} | {values['ndcg@10']:.3f} |" for name, values in scores.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=Path, required=True, help="folder with tiny-chat and tiny-embed")
    parser.add_argument("--per-skill", type=int, default=50)
    parser.add_argument("--show", type=int, default=0, help="print this many wrong answers")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    chat = arguments.models / "tiny-chat"
    held_out = chat_scores(chat, chat_examples(arguments.per_skill, both_modes=True), arguments.show)
    # The tables of models/README.md.
    print(chat_table("skill", held_out), end="\n\n")
    print(chat_table('"What is a + b?"', chat_scores(chat, every_sum())), end="\n\n")
    tokenizer = load_hugging_face(chat / "hf" / "tokenizer.json")
    print(chat_table("question after a long chat", chat_scores(chat, long_examples(tokenizer, arguments.per_skill // 2, both_modes=True))), end="\n\n")
    print(search_table(search_scores(arguments.models / "tiny-embed", search_task())))


if __name__ == "__main__":
    main()
