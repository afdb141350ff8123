"""Lets calls of models reach a model, and keeps their answers short."""

import schemathesis

MODELS = {"chat.create": "chat", "completions.create": "chat", "embeddings.create": "search"}


@schemathesis.hook
def before_call(context, case, **kwargs):
    model = MODELS.get(case.operation.definition.raw.get("operationId"))
    body = case.body
    if model is None or not isinstance(body, dict):
        return
    if isinstance(body.get("model"), str) and body["model"]:
        body["model"] = model
    if model == "chat":
        for field in ("max_tokens", "max_completion_tokens"):
            if type(body.get(field)) is int and body[field] > 8:
                body[field] = 8
        if not {"max_tokens", "max_completion_tokens"} & body.keys():
            body["max_tokens"] = 8
