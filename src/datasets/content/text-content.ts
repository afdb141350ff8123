import { isExactNumber, isFields, isStorable } from '#kernel';
import type { ExampleMessage, TextContent } from './example-content.ts';
import type { IssueList } from './issues.ts';
import { pointerTo, readText } from './json-fields.ts';
import { readToolCalls } from './tool-calls.ts';
import { readTools, type ToolSet } from './tool-set.ts';

const maxMessages = 1_000;

export function checkTextContent(raw: unknown, list: IssueList): TextContent | null {
  if (!isFields(raw) || !Array.isArray(raw.messages)) {
    const isMissing = isFields(raw) && (raw.messages === undefined || raw.messages === null);
    list.add(isMissing ? 'missing_field' : 'wrong_type', '/messages', 'Expected a list of messages.');
    return null;
  }
  const tools = readTools(raw.tools, list);
  const sent: readonly unknown[] = raw.messages;
  if (sent.length > maxMessages) list.add('too_large', '/messages', `Expected at most ${maxMessages} messages.`);
  const messages = sent.slice(0, maxMessages).flatMap((message, index) => {
    const read = readMessage(message, { pointer: pointerTo('/messages', index), tools, list });
    return read ? [read] : [];
  });
  if (sent.length === 0) list.add('empty_text', '/messages', 'There is no message.');
  else {
    checkAnswers(messages, pointerTo('/messages', sent.length - 1), list);
    if (messages.length === sent.length) checkOpening(messages, list);
  }
  return { messages, tools: tools.wire };
}

/** Whether there is something to learn: an answer at the end, and one that counts. */
function checkAnswers(messages: readonly ExampleMessage[], lastPointer: string, list: IssueList): void {
  if (messages.at(-1)?.role !== 'assistant')
    list.add(
      'last_message_not_assistant',
      lastPointer,
      'The last message is not from the assistant, so there is nothing to learn.',
      'End the conversation with the answer that the model should give.',
    );
  else if (messages.every((message) => !isLearnt(message)))
    list.add('wrong_type', '/messages', 'Every answer has the weight 0, so there is nothing to learn.');
}

/** Answers in a row are learnt as one, and those that a conversation begins with are only seen. */
function checkOpening(messages: readonly ExampleMessage[], list: IssueList): void {
  const first = messages.findIndex((message) => !isLearnt(message));
  const isAnswered = messages.some((message, at) => isLearnt(message) && first >= 0 && at > first);
  if (isAnswered || messages.at(-1)?.role !== 'assistant' || !messages.some(isLearnt)) return;
  list.add(
    'wrong_type',
    '/messages',
    'No message stands before an answer, so there is nothing to learn.',
    'Put what the model is asked before the answer.',
  );
}

const isLearnt = (message: ExampleMessage) => message.role === 'assistant' && message.weight !== 0;

type ReadContext = { pointer: string; tools: ToolSet; list: IssueList };

function readMessage(message: unknown, context: ReadContext): ExampleMessage | null {
  const { pointer, list } = context;
  if (!isFields(message)) {
    list.add('wrong_type', pointer, 'Expected a message with role and content.');
    return null;
  }
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user': {
      const content = readText(joined(message.content), `${pointer}/content`, list);
      return content === null ? null : { content, role: message.role === 'user' ? 'user' : 'system' };
    }
    case 'assistant':
      return readAnswer(message, context);
    case 'tool': {
      const content = readText(joined(message.content), `${pointer}/content`, list);
      const callId = readText(message.tool_call_id, `${pointer}/tool_call_id`, list);
      return content === null || callId === null ? null : { content, role: 'tool', tool_call_id: callId };
    }
    default:
      list.add(
        message.role === undefined ? 'missing_field' : 'unknown_role',
        `${pointer}/role`,
        'Expected the role system, user, assistant or tool.',
      );
      return null;
  }
}

function readAnswer(message: Record<string, unknown>, context: ReadContext): ExampleMessage | null {
  const { pointer, list } = context;
  const calls = readToolCalls(message.tool_calls, { ...context, pointer: `${pointer}/tool_calls` });
  const said = joined(message.content);
  const isSilent = said === undefined || said === null || said === '';
  const content = isSilent && isCalling(message) ? null : readText(said, `${pointer}/content`, list);
  if (isThere(message.function_call))
    list.add('wrong_type', `${pointer}/function_call`, 'A call is read from tool_calls only.', functionHint);
  const reasoning = message.reasoning_content ?? message.reasoning ?? null;
  if (reasoning !== null && (typeof reasoning !== 'string' || !isStorable(reasoning))) {
    list.add('wrong_type', `${pointer}/reasoning_content`, 'Expected a text.');
    return null;
  }
  return {
    content,
    ...(reasoning === null || reasoning === '' ? {} : { reasoning_content: reasoning }),
    role: 'assistant',
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(isWeightless(message.weight, `${pointer}/weight`, list) ? { weight: 0 } : {}),
  };
}

/** Answers weigh 1 and are learned; what weighs 0 is only there for what follows. */
function isWeightless(sent: unknown, pointer: string, list: IssueList): boolean {
  // `1.0` is 1.
  const weight = isExactNumber(sent) ? Number(sent.rawJSON) : sent;
  if (isThere(weight) && weight !== 0 && weight !== 1) list.add('wrong_type', pointer, 'Expected 0 or 1.');
  return weight === 0;
}

const functionHint = 'Write the call into tool_calls, and its answer as a message of the role tool.';

function isCalling({ tool_calls: calls, function_call: call }: Record<string, unknown>): boolean {
  return isThere(call) || (Array.isArray(calls) && calls.length > 0);
}

const isThere = (value: unknown) => value !== undefined && value !== null;

/** Text parts of the OpenAI shape are one text; anything else is left for the check to refuse. */
function joined(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part) => (isFields(part) && part.type === 'text' ? part.text : null));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : content;
}
