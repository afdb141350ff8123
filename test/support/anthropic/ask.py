"""Asks the Messages API with an unmodified client: ask.py BASE_URL KEY. Prints what came as one line of JSON."""

import json
import sys

import anthropic
from pydantic import BaseModel

base_url, key = sys.argv[1:]
client = anthropic.Anthropic(base_url=base_url, api_key=key, max_retries=20)
hello = {"model": "chat", "max_tokens": 200, "messages": [{"role": "user", "content": "Hello!"}]}
weather = {
    "name": "get_weather",
    "description": "Get the current weather for a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


class Order(BaseModel):
    city: str
    lamps: int


def stream():
    with client.messages.stream(**hello, thinking={"type": "enabled", "budget_tokens": 1024}) as events:
        kinds = [event.type for event in events if event.type in ("message_start", "message_stop")]
        return kinds, [block.type for block in events.get_final_message().content]


def loop():
    """Until the model calls no more tools."""
    messages = [{"role": "user", "content": "What is the weather in Paris?"}]
    cities = []
    for _ in range(4):
        asked = {"model": "chat", "max_tokens": 300, "tools": [weather], "messages": messages}
        # Of this field the client knows nothing any more.
        message = client.messages.create(**asked, extra_body={"temperature": 0})
        messages.append({"role": "assistant", "content": message.content})
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return cities
        cities += [call.input["city"] for call in calls]
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": "21 degrees"} for call in calls]
        messages.append({"role": "user", "content": results})
    return None


def refused(ask):
    try:
        ask()
    except anthropic.APIStatusError as error:
        return [type(error).__name__, error.type, error.status_code]
    return None


def parsed():
    question = [{"role": "user", "content": "Ada from Paris ordered 3 lamps."}]
    answer = client.messages.parse(model="chat", max_tokens=200, messages=question, output_format=Order)
    return isinstance(answer.parsed_output, Order)


plain = client.messages.create(**hello)
stranger = anthropic.Anthropic(base_url=base_url, api_key="fnf_nonsense", max_retries=0)
print(
    json.dumps(
        {
            "text": plain.content[0].text,
            "stop": plain.stop_reason,
            "stream": stream(),
            "cities": loop(),
            "parsed": parsed(),
            "counted": client.messages.count_tokens(model="chat", messages=hello["messages"]).input_tokens,
            "charged": plain.usage.input_tokens + plain.usage.cache_read_input_tokens,
            "models": [model.id for model in client.models.list()],
            "errors": [
                refused(lambda: stranger.messages.create(**hello)),
                refused(lambda: client.messages.create(**{**hello, "model": "nothing"})),
                refused(lambda: client.messages.create(**{**hello, "messages": []})),
            ],
        }
    )
)
