import { Fault } from '#kernel';
import type { ChatMessage } from '../port.ts';
import { type ChatTemplate, type Conversation, renderTurn, type Segment } from '../text/template.ts';
import { type HoldsWord, templateWords } from './conversation-segments.ts';
import type { CountableConversation } from './vocabulary-protocol.ts';

/** A conversation that cannot be learnt as it is; the message says why, to those who wrote it. */
export class NotLearnable extends Error {}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** An answer to learn with what stands before it. `at`: where the conversation has the answer, or the first of those that it is made of. */
export type LearntTurn = { at: number; conversation: Conversation };

/**
 * What is to be learnt of a conversation. Answers in a row are one turn: a model writes no second answer to the same question.
 * What stands before a turn is left as it was written, because serving shows the same history to the model.
 */
export function learntTurns({ messages, tools, seenOnly = [] }: CountableConversation): LearntTurn[] {
  const turns: LearntTurn[] = [];
  const learntAt = (at: number): AssistantMessage | null => {
    const message = messages[at];
    return message?.role === 'assistant' && !seenOnly.includes(at) ? message : null;
  };
  for (let at = 0; at < messages.length; at++) {
    const start = at;
    let answer = learntAt(at);
    if (!answer) continue;
    for (let next = learntAt(at + 1); next; next = learntAt(at + 1)) {
      answer = joined(answer, next);
      at++;
    }
    // A model is asked something before it answers: an answer in the first place is only seen.
    if (start > 0) turns.push({ at: start, conversation: { messages: [...messages.slice(0, start), answer], tools } });
  }
  return turns;
}

/** As serving merges them where a template wants turns that alternate. */
function joined(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const reasoning = [first.reasoning, second.reasoning].filter((text) => text !== null && text !== '');
  return {
    role: 'assistant',
    content: [first.content, second.content].filter((text) => text !== '').join('\n\n'),
    reasoning: reasoning.length === 0 ? null : reasoning.join('\n\n'),
    toolCalls: [...first.toolCalls, ...second.toolCalls],
  };
}

/** The prompt of a turn, and what the model would have to write behind it. Throws `NotLearnable`. */
export function renderLearnt(template: ChatTemplate, { at, conversation }: LearntTurn) {
  const answer = conversation.messages.at(-1);
  if (answer?.role !== 'assistant') throw new Error('Only answers are learnt. This is a bug.');
  const { before, behind } = renderOrRefuse(template, conversation, answer, at);
  const written = remainder(behind.segments, before.segments);
  if (written === null)
    throw new NotLearnable(
      `The chat template of the model writes message ${at} in a way that its own prompt does not lead to.`,
    );
  checkComplete(written.map(({ text }) => text).join(''), answer, at);
  return { prompt: before.segments, written };
}

function renderOrRefuse(template: ChatTemplate, conversation: Conversation, answer: AssistantMessage, at: number) {
  try {
    // Some write their reasoning into the answer itself, as models do.
    const thinking = answer.reasoning !== null || answer.content.includes('</think>');
    return renderTurn(template, { ...conversation, thinking });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // What is said to callers of the model would not help here.
    if (error.options.param === 'tools') throw new NotLearnable('The chat template of the model has no tools.');
    throw new NotLearnable(`Up to message ${at}: ${error.message}`);
  }
}

/** What stands behind a prompt in the whole text; null where the text does not begin with it. */
function remainder(whole: readonly Segment[], prompt: readonly Segment[]): Segment[] | null {
  const last = prompt.length - 1;
  for (const [index, { text, special }] of prompt.entries()) {
    const other = whole[index];
    if (other?.special !== special) return null;
    if (other.text === text) continue;
    if (index < last || special || !other.text.startsWith(text)) return null;
    return [{ text: other.text.slice(text.length), special: false }, ...whole.slice(prompt.length)];
  }
  return whole.slice(prompt.length);
}

/** Templates that know no reasoning or no tools leave them out without a word. */
function checkComplete(text: string, { reasoning, toolCalls }: AssistantMessage, at: number): void {
  if (reasoning !== null && !text.includes(reasoning.trim()))
    throw new NotLearnable(`Message ${at} has reasoning, which the chat template of the model leaves out.`);
  const lost = toolCalls.find(({ name }) => !text.includes(name));
  if (lost)
    throw new NotLearnable(`Message ${at} calls ${lost.name}, which the chat template of the model leaves out.`);
}

/** Why a conversation cannot be learnt; null: nothing stands in the way, as far as texts tell without a tokeniser. */
export type LearnCheck = (conversation: CountableConversation) => string | null;

const mostForms = 1_000;
/** Each turn is rendered with all that stands before it: of very long conversations the first turns are checked. */
const mostChars = 400_000;

/**
 * Checks conversations as their training would, before there is a job. Nearly all conversations of a file have one of a few forms,
 * so a form that can be learnt is not rendered again, unless a text holds something that the template looks for.
 */
export function createLearnCheck(template: () => ChatTemplate): LearnCheck {
  const fine = new Set<string>();
  let holdsWord: HoldsWord | null = null;
  return (conversation) => {
    holdsWord ??= templateWords(template().source);
    const form = formOf(conversation, holdsWord);
    if (form !== null && fine.has(form)) return null;
    const problem = problemOf(template(), conversation);
    if (problem !== null || form === null) return problem;
    if (fine.size >= mostForms) fine.clear();
    fine.add(form);
    return null;
  };
}

function problemOf(template: ChatTemplate, conversation: CountableConversation): string | null {
  let chars = 0;
  try {
    for (const turn of learntTurns(conversation)) {
      const { prompt, written } = renderLearnt(template, turn);
      for (const { text } of [...prompt, ...written]) chars += text.length;
      if (chars > mostChars) break;
    }
    return null;
  } catch (error) {
    if (error instanceof NotLearnable) return error.message;
    throw error;
  }
}

/** All that a template can see of a conversation beside the texts themselves; null: a text may change what it does. */
function formOf({ messages, tools, seenOnly = [] }: CountableConversation, holdsWord: HoldsWord): string | null {
  const texts = messages.flatMap(textsOf);
  if (texts.some(holdsWord)) return null;
  const forms = messages.map((message) => `${message.role}${textsOf(message).map(edges).join('')}`);
  return `${forms.join(' ')} ${tools.length > 0} ${seenOnly.join(' ')}`;
}

function textsOf(message: ChatMessage): string[] {
  if (message.role !== 'assistant') return [message.content];
  return [message.content, message.reasoning ?? none, ...message.toolCalls.map(({ name }) => name)];
}

const none = '\0';

/** Templates ask whether a text is there or empty, and cut blanks at its ends. */
function edges(text: string): number {
  if (text === none) return 3;
  if (text === '') return 0;
  return text.trim() === text ? 1 : 2;
}
