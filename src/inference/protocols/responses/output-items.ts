import type { TextSeal } from '#kernel';
import { isFields } from '#kernel';
import type { AnswerPart } from '../../collected-answer.ts';
import { itemId } from './item-ids.ts';
import { toolCalled, type UsedTools } from './tools.ts';

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

type OutputText = { type: 'output_text'; annotations: []; logprobs: []; text: string };

export type OutputItem =
  | { id: string; type: 'message'; status: ItemStatus; role: 'assistant'; content: OutputText[] }
  | {
      id: string;
      type: 'reasoning';
      status: ItemStatus;
      summary: { type: 'summary_text'; text: string }[];
      /** Left out where the reasoning comes as summary. */
      content?: { type: 'reasoning_text'; text: string }[];
      encrypted_content?: string;
    }
  | {
      id: string;
      type: 'function_call';
      status: ItemStatus;
      call_id: string;
      name: string;
      namespace?: string;
      arguments: string;
    }
  | {
      id: string;
      type: 'custom_tool_call';
      status: ItemStatus;
      call_id: string;
      name: string;
      namespace?: string;
      input: string;
    };

/** What items are made with, beside their parts. */
export type ItemMaking = {
  responseId: string;
  tools: UsedTools;
  /** null: nobody asked for sealed reasoning. */
  seal: TextSeal | null;
  /** Reasoning comes as summary. */
  summarises: boolean;
};

/** The item of a part of an answer; `index` is its place in the output. */
export function outputItem(part: AnswerPart, index: number, making: ItemMaking, status: ItemStatus): OutputItem {
  const place = { responseId: making.responseId, list: 'output', index } as const;
  switch (part.type) {
    case 'content':
      return {
        id: itemId('message', place),
        type: 'message',
        status,
        role: 'assistant',
        content: [outputText(part.text)],
      };
    case 'reasoning':
      return {
        id: itemId('reasoning', place),
        type: 'reasoning',
        status,
        ...(making.summarises
          ? { summary: [{ type: 'summary_text', text: part.text }] }
          : { summary: [], content: [{ type: 'reasoning_text', text: part.text }] }),
        ...(making.seal === null ? {} : { encrypted_content: making.seal.seal(part.text) }),
      };
    case 'tool_call': {
      const { kind, name, namespace } = toolCalled(making.tools, part.name);
      const called = { call_id: part.callId, name, ...(namespace === null ? {} : { namespace }) };
      return kind === 'custom'
        ? {
            id: itemId('custom_tool_call', place),
            type: 'custom_tool_call',
            status,
            ...called,
            input: inputOf(part.arguments),
          }
        : {
            id: itemId('function_call', place),
            type: 'function_call',
            status,
            ...called,
            arguments: part.arguments,
          };
    }
  }
}

export const outputText = (text: string): OutputText => ({ type: 'output_text', annotations: [], logprobs: [], text });

/** The text that a custom tool is given; models that do not keep to the form of its function give it in their own. */
function inputOf(args: string): string {
  const fields: unknown = JSON.parse(args);
  if (!isFields(fields)) return typeof fields === 'string' ? fields : args;
  if (typeof fields.input === 'string') return fields.input;
  const [only, ...others] = Object.values(fields);
  return typeof only === 'string' && others.length === 0 ? only : args;
}

/** An item before its first text. */
export function opening(item: OutputItem): OutputItem {
  const status = 'in_progress';
  switch (item.type) {
    case 'message':
      return { ...item, status, content: [] };
    case 'reasoning': {
      const { encrypted_content: _, content, ...rest } = item;
      return { ...rest, status, summary: [], ...(content === undefined ? {} : { content: [] }) };
    }
    case 'function_call':
      return { ...item, status, arguments: '' };
    case 'custom_tool_call':
      return { ...item, status, input: '' };
  }
}

/** All text of an item. */
export function textOfItem(item: OutputItem): string {
  switch (item.type) {
    case 'message':
      return item.content.map(({ text }) => text).join('');
    case 'reasoning':
      return (item.content ?? item.summary).map(({ text }) => text).join('');
    case 'function_call':
      return item.arguments;
    case 'custom_tool_call':
      return item.input;
  }
}
