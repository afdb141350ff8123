"""
Vectors of all-MiniLM-L6-v2 by transformers: minilm_vectors.py FOLDER. Reads a JSON list of texts, writes a list of vectors and of
token counts.
"""

import json
import sys

import torch
from transformers import AutoModel, AutoTokenizer

torch.set_num_threads(1)
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
model = AutoModel.from_pretrained(sys.argv[1]).eval()
vectors, tokens = [], []
with torch.no_grad():
    for text in json.load(sys.stdin):
        inputs = tokenizer(text, return_tensors="pt")
        hidden = model(**inputs).last_hidden_state[0]
        vectors.append(torch.nn.functional.normalize(hidden.mean(dim=0), dim=0).tolist())
        tokens.append(inputs["input_ids"].shape[1])
json.dump({"vectors": vectors, "tokens": tokens}, sys.stdout)
