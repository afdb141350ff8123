"""Asks the Responses API with unmodified clients: ask.py BASE_URL KEY. Prints what came as one line of JSON."""

import asyncio
import json
import sys

import openai
from agents import Agent, ModelSettings, Runner, function_tool, set_default_openai_client, set_tracing_disabled
from pydantic import BaseModel

base_url, key = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=20)
set_default_openai_client(openai.AsyncOpenAI(base_url=base_url, api_key=key, max_retries=20), use_for_tracing=False)
set_tracing_disabled(True)
hello = {"model": "chat", "input": "Hello!", "temperature": 0}
asked = []


class Order(BaseModel):
    city: str
    lamps: int


@function_tool
def get_weather(city: str) -> str:
    """Get the current weather for a city."""
    asked.append(city)
    return "21 degrees"


def stream():
    with client.responses.stream(**hello) as events:
        kinds = [event.type for event in events]
        final = events.get_final_response()
        return kinds[:2] + kinds[-1:], final.status, len(final.output_text) > 0


def parsed():
    answer = client.responses.parse(**{**hello, "input": "Ada from Paris ordered 3 lamps."}, text_format=Order)
    return isinstance(answer.output_parsed, Order)


def refused(ask):
    try:
        ask()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.code, error.status_code]
    return None


async def agents():
    settings = ModelSettings(temperature=0)
    guide = Agent(name="Guide", model="chat", tools=[get_weather], model_settings=settings)
    result = await Runner.run(guide, "What is the weather in Paris?")
    streamed = Runner.run_streamed(guide, "What is the weather in Paris?")
    kinds = {event.type async for event in streamed.stream_events()}
    sorter = Agent(name="Sorter", model="chat", output_type=Order, model_settings=settings)
    order = await Runner.run(sorter, "Ada from Paris ordered 3 lamps.")
    whole = len(result.final_output) > 0 and len(streamed.final_output) > 0
    return whole and "raw_response_event" in kinds and isinstance(order.final_output, Order)


plain = client.responses.create(**hello)
stranger = openai.OpenAI(base_url=base_url, api_key="fnf_nonsense", max_retries=0)
print(
    json.dumps(
        {
            "text": plain.output_text,
            "status": plain.status,
            "usage": plain.usage.input_tokens + plain.usage.output_tokens == plain.usage.total_tokens,
            "stream": stream(),
            "parsed": parsed(),
            "agents": asyncio.run(agents()),
            "asked": asked,
            "errors": [
                refused(lambda: stranger.responses.create(**hello)),
                refused(lambda: client.responses.create(**{**hello, "model": "nothing"})),
                refused(lambda: client.responses.create(**{**hello, "input": []})),
                refused(lambda: client.responses.create(**{**hello, "input": "word " * 6_000})),
            ],
        }
    )
)
