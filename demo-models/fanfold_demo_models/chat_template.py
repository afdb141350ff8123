"""Renders conversations with the chat template that ships with the model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import jinja2
import jinja2.sandbox

from .conversation import Message, Tool

TEMPLATE_PATH = Path(__file__).parent / "templates" / "qwen3.jinja"


def template_text() -> str:
    return TEMPLATE_PATH.read_text()


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _compile() -> jinja2.Template:
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = _to_json
    return environment.from_string(template_text())


_TEMPLATE = _compile()


def render(messages: Sequence[Message], tools: Sequence[Tool] | None = None) -> str:
    """The finished conversation."""
    return _TEMPLATE.render(messages=list(messages), tools=tools)


def render_prompt(messages: Sequence[Message], tools: Sequence[Tool] | None, thinking: bool) -> str:
    """The conversation up to where the model starts to write. Without thinking an empty block is set for it."""
    if thinking:
        return _TEMPLATE.render(messages=list(messages), tools=tools, add_generation_prompt=True)
    return _TEMPLATE.render(
        messages=list(messages), tools=tools, add_generation_prompt=True, enable_thinking=False
    )


def render_with(values: dict[str, object]) -> str:
    """The template with exactly these values, as any renderer of the template may be asked."""
    return _TEMPLATE.render(**values)
