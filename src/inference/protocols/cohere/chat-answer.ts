import type { Finished, Usage } from '#engine';
import { eventData } from '#http';
import type { CollectedAnswer, NamedDelta } from '../../collected-answer.ts';
import type { StreamWriter } from '../../protocol.ts';
import { cohereErrors } from './cohere-errors.ts';

type Content = { type: 'text'; text: string } | { type: 'thinking'; thinking: string };
type Call = { id: string; type: 'function'; function: { name: string; arguments: string } };
type FinishReason = 'COMPLETE' | 'STOP_SEQUENCE' | 'MAX_TOKENS' | 'TOOL_CALL';

export type CohereAnswer = {
  id: string;
  message: { role: 'assistant'; content?: Content[]; tool_calls?: Call[] };
  finish_reason: FinishReason;
  usage: ReturnType<typeof usageToWire>;
};

/** `billed_units` are all tokens that the model read and wrote, as in `tokens`. */
function usageToWire({ promptTokens, completionTokens, cachedTokens }: Usage) {
  const tokens = { input_tokens: promptTokens, output_tokens: completionTokens };
  return { billed_units: tokens, tokens, cached_tokens: cachedTokens };
}

/** The body of an answer. */
export function cohereAnswer(id: string, answer: CollectedAnswer, finished: Finished): CohereAnswer {
  const content = answer.parts.flatMap((part): Content[] => {
    if (part.type === 'content') return [{ type: 'text', text: part.text }];
    return part.type === 'reasoning' ? [{ type: 'thinking', thinking: part.text }] : [];
  });
  const calls = answer.parts.flatMap((part) => (part.type === 'tool_call' ? callToWire(part) : []));
  return {
    id,
    message: {
      role: 'assistant',
      ...(content.length === 0 ? {} : { content }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    finish_reason: finishReasonOf(finished, calls.length > 0),
    usage: usageToWire(finished.usage),
  };
}

type NamedCall = { callId: string; name: string; arguments: string };

const callToWire = ({ callId: id, name, arguments: args }: NamedCall): Call => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

function finishReasonOf({ reason, stopText }: Finished, hasCalls: boolean): FinishReason {
  if (reason === 'length') return 'MAX_TOKENS';
  if (reason === 'tool_calls' || hasCalls) return 'TOOL_CALL';
  return stopText == null ? 'COMPLETE' : 'STOP_SEQUENCE';
}

const event = (type: string, rest: object) => `event: ${type}\ndata: ${eventData({ type, ...rest })}\n\n`;
const message = (index: number, of: object) => ({ index, delta: { message: of } });

const messageStart = (id: string) =>
  event('message-start', { id, delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [] } } });
const contentStart = (index: number, content: Content) => event('content-start', message(index, { content }));
const contentDelta = (index: number, content: object) => event('content-delta', message(index, { content }));
const contentEnd = (index: number) => event('content-end', { index });
const messageEnd = ({ id, finish_reason, usage }: Pick<CohereAnswer, 'id' | 'finish_reason' | 'usage'>) =>
  `${event('message-end', { id, delta: { finish_reason, usage } })}data: [DONE]\n\n`;

function toolCallEvents(index: number, { function: { arguments: args, name }, ...call }: Call): string {
  const begun = { ...call, function: { name, arguments: '' } };
  return (
    event('tool-call-start', message(index, { tool_calls: begun })) +
    event('tool-call-delta', message(index, { tool_calls: { function: { arguments: args } } })) +
    event('tool-call-end', { index })
  );
}

const emptyOf = (type: Content['type']): Content => (type === 'text' ? { type, text: '' } : { type, thinking: '' });

/** The events of an answer that is complete: the same as when it was streamed, in fewer pieces. */
export function eventsOfAnswer({ message: { content = [], tool_calls: calls = [] }, ...ending }: CohereAnswer): string {
  const parts = content.map(({ type, ...text }, index) =>
    [contentStart(index, emptyOf(type)), contentDelta(index, text), contentEnd(index)].join(''),
  );
  return (
    messageStart(ending.id) +
    parts.join('') +
    calls.map((call, n) => toolCallEvents(n, call)).join('') +
    messageEnd(ending)
  );
}

/** Writes contents in the order in which the model does; each ends when another begins. Tool calls are numbered apart. */
export function writeCohereStream(id: string): StreamWriter {
  let index = -1;
  let open: Content['type'] | null = null;
  let calls = 0;

  function close(): string {
    const isOpen = open !== null;
    open = null;
    return isOpen ? contentEnd(index) : '';
  }

  function write(type: Content['type'], text: string): string {
    if (text === '') return '';
    const delta = () => contentDelta(index, type === 'text' ? { text } : { thinking: text });
    if (open === type) return delta();
    const closed = close();
    open = type;
    index += 1;
    return closed + contentStart(index, emptyOf(type)) + delta();
  }

  return {
    begin: () => messageStart(id),
    delta(next: NamedDelta) {
      if (next.type === 'content') return write('text', next.text);
      if (next.type === 'reasoning') return write('thinking', next.text);
      calls += 1;
      return close() + toolCallEvents(calls - 1, callToWire(next));
    },
    end: (finished) =>
      close() +
      messageEnd({ id, finish_reason: finishReasonOf(finished, calls > 0), usage: usageToWire(finished.usage) }),
    // Its clients raise what `error` says, and take a stream without `message-end` for incomplete.
    fail: (problem, requestId) =>
      event('message-error', {
        delta: { error: problem.message },
        ...JSON.parse(cohereErrors.render(problem, requestId)),
      }),
  };
}
