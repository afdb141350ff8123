"""Calls a running server with Cohere's client for Python: `ask.py BASE_URL KEY`. Prints what it got as one JSON object."""

import json
import sys

import cohere
from cohere.core.api_error import ApiError

base_url, key = sys.argv[1:]
client = cohere.ClientV2(api_key=key, base_url=base_url)
question = {"model": "chat", "messages": [{"role": "user", "content": "What is the capital of France?"}], "max_tokens": 48}

answer = client.chat(**question)
events = list(client.chat_stream(**question))
streamed = [event.delta.message.content.text for event in events if event.type == "content-delta"]

tool = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"enum": ["Paris"]}}, "required": ["city"]},
    },
}
called = client.chat(**question, tools=[tool], tool_choice="REQUIRED")
calls = called.message.tool_calls
after = client.chat(
    model="chat",
    max_tokens=48,
    tools=[tool],
    messages=[
        *question["messages"],
        {"role": "assistant", "tool_calls": [call.model_dump() for call in calls]},
        {"role": "tool", "tool_call_id": calls[0].id, "content": [{"type": "document", "document": {"data": {"sky": "clear"}}}]},
    ],
)
schema = {"type": "object", "properties": {"capital": {"enum": ["Paris"]}}, "required": ["capital"]}
parsed = client.chat(**question, response_format={"type": "json_object", "json_schema": schema})

errors = []
for broken in ({"model": "nothing"}, {"documents": ["x"]}):
    try:
        client.chat(**{**question, **broken})
    except ApiError as error:
        errors.append([error.status_code, error.body["error"]["code"]])

print(
    json.dumps(
        {
            "text": answer.message.content[0].text,
            "tokens": answer.usage.tokens.input_tokens,
            "stop": answer.finish_reason,
            "events": [events[0].type, events[-1].type, events[-1].delta.finish_reason],
            "streamed": "".join(text for text in streamed if text),
            "call": [calls[0].function.name, json.loads(calls[0].function.arguments), called.finish_reason],
            "after": after.finish_reason in ("COMPLETE", "MAX_TOKENS", "TOOL_CALL"),
            "parsed": json.loads(parsed.message.content[0].text),
            "errors": errors,
        }
    )
)
