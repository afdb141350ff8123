"""Reranks documents with Cohere's client for Python: `rerank.py BASE_URL KEY MODEL`. Prints what it got as one JSON object."""

import json
import sys

import cohere
from cohere.core.api_error import ApiError

base_url, key, model = sys.argv[1:]
client = cohere.ClientV2(api_key=key, base_url=base_url)
question = {"model": model, "query": "red lamp", "documents": ["the door", "the red lamp", "9"]}

answer = client.rerank(**question, top_n=2, max_tokens_per_doc=100)
try:
    client.rerank(**{**question, "documents": []})
    refused = None
except ApiError as error:
    refused = [error.status_code, error.body["error"]["param"]]

print(
    json.dumps(
        {
            "results": [[result.index, result.relevance_score] for result in answer.results],
            "units": answer.meta.billed_units.search_units,
            "refused": refused,
        }
    )
)
