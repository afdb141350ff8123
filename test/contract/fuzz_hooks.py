"""Lets calls of models reach a model, and keeps their answers short."""

import schemathesis

# The model of each operation, and the fields that bound its answer.
CALLS = {
    "chat.create": ("chat", ("max_tokens", "max_completion_tokens")),
    "completions.create": ("chat", ("max_tokens", "max_completion_tokens")),
    "responses.create": ("chat", ("max_output_tokens",)),
    "responses.count": ("chat", ()),
    "messages.create": ("chat", ("max_tokens",)),
    "messages.count_tokens": ("chat", ()),
    "embeddings.create": ("search", ()),
}
LONGEST = 8


@schemathesis.hook
def before_call(context, case, **kwargs):
    operation = case.operation.definition.raw.get("operationId")
    body = case.body
    if operation not in CALLS or not isinstance(body, dict):
        return
    model, bounds = CALLS[operation]
    if isinstance(body.get("model"), str) and body["model"]:
        body["model"] = model
    for field in bounds:
        if type(body.get(field)) is int and body[field] > LONGEST:
            body[field] = LONGEST
    if bounds and not set(bounds) & body.keys():
        body[bounds[0]] = LONGEST
