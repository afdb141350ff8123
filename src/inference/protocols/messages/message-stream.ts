import type { Usage } from '#engine';
import { eventData } from '#http';
import type { NamedDelta } from '../../collected-answer.ts';
import type { StreamWriter } from '../../protocol.ts';
import { anthropicErrors } from './anthropic-errors.ts';
import {
  type AnthropicMessage,
  type ContentBlock,
  endingOf,
  type MessageEnd,
  type MessageHead,
  thoughtOf,
  usageToWire,
} from './message-wire.ts';

/** One event; its name is said twice. */
const event = (type: string, rest: object) => `event: ${type}\ndata: ${eventData({ type, ...rest })}\n\n`;
/** Made for every token, so that only its text is rendered. */
const textDelta = (index: number, type: 'text' | 'thinking', text: string) =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}_delta","${type}":${eventData(text)}}}\n\n`;
const delta = (index: number, of: object) => event('content_block_delta', { index, delta: of });
const blockStart = (index: number, block: ContentBlock) =>
  event('content_block_start', { index, content_block: block });
const blockStop = (index: number) => event('content_block_stop', { index });
const signatureDelta = (index: number, signature: string) => delta(index, { type: 'signature_delta', signature });
const ping = event('ping', {});

const openings = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
} as const satisfies Record<string, ContentBlock>;

function start(head: Pick<AnthropicMessage, 'id' | 'model'>, usage: ReturnType<typeof usageToWire>): string {
  const { id, model } = head;
  const message = { id, type: 'message', role: 'assistant', model, content: [] };
  return event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }) + ping;
}

function end(ending: MessageEnd, usage: ReturnType<typeof usageToWire>): string {
  return event('message_delta', { delta: ending, usage }) + event('message_stop', {});
}

function toolUse(index: number, call: { id: string; name: string; arguments: string }): string {
  const { id, name, arguments: partial_json } = call;
  return (
    blockStart(index, { type: 'tool_use', id, name, input: {} }) +
    delta(index, { type: 'input_json_delta', partial_json }) +
    blockStop(index)
  );
}

/** The events of an answer that is complete: the same as when it was streamed, in fewer pieces. */
export function eventsOfMessage({ content, stop_reason, stop_sequence, usage, ...head }: AnthropicMessage): string {
  const begun = { ...usage, output_tokens: 0, output_tokens_details: { thinking_tokens: 0 } };
  const blocks = content.map((block, index) => {
    if (block.type === 'tool_use') return toolUse(index, { ...block, arguments: JSON.stringify(block.input) });
    const text = block.type === 'text' ? block.text : block.thinking;
    const signed = block.type === 'thinking' ? signatureDelta(index, block.signature) : '';
    const said = text === '' ? '' : textDelta(index, block.type, text);
    return blockStart(index, openings[block.type]) + said + signed + blockStop(index);
  });
  return start(head, begun) + blocks.join('') + end({ stop_reason, stop_sequence }, usage);
}

/** Writes the blocks in the order in which the model does; each ends when another begins. */
export function writeMessageStream(head: MessageHead): StreamWriter {
  let index = -1;
  let open: 'text' | 'thinking' | null = null;
  let thinking = '';
  let hasCalls = false;

  function close(): string {
    if (open === null) return '';
    const signed = open === 'thinking' ? signatureDelta(index, thoughtOf(thinking, head).signature) : '';
    open = null;
    thinking = '';
    return signed + blockStop(index);
  }

  function say(type: 'text' | 'thinking', text: string): string {
    if (text === '') return '';
    let events = '';
    if (open !== type) {
      events = close();
      index++;
      open = type;
      events += blockStart(index, openings[type]);
    }
    if (type === 'thinking') {
      thinking += text;
      if (head.hidesThinking) return events;
    }
    return events + textDelta(index, type, text);
  }

  return {
    begin({ promptTokens }) {
      const usage: Usage = {
        promptTokens: promptTokens ?? 0,
        completionTokens: 0,
        reasoningTokens: 0,
        cachedTokens: 0,
      };
      return start(head, usageToWire(usage));
    },
    delta(next: NamedDelta) {
      if (next.type === 'content') return say('text', next.text);
      if (next.type === 'reasoning') return say('thinking', next.text);
      hasCalls = true;
      const closed = close();
      index++;
      return closed + toolUse(index, { id: next.callId, name: next.name, arguments: next.arguments });
    },
    end(finished) {
      const ending = endingOf(finished, { hasCalls, maxTokens: head.maxTokens });
      return close() + end(ending, usageToWire(finished.usage));
    },
    fail: (problem, requestId) => `event: error\ndata: ${anthropicErrors.render(problem, requestId)}\n\n`,
    ping,
  };
}
