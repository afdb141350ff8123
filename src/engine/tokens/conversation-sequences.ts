import { Fault } from '#kernel';
import { concatenate, type Vocabulary } from '../llama/vocabulary.ts';
import type { ChatMessage } from '../port.ts';
import { type ChatTemplate, type Conversation, renderTurn, type Segment } from '../text/template.ts';
import type { CountableConversation, EncodedConversation, Sequence } from './counter-protocol.ts';

/** A conversation that cannot be learnt as it is; the message says why, to those who wrote it. */
export class NotLearnable extends Error {}

type Answer = Extract<ChatMessage, { role: 'assistant' }>;
type LearntTurn = { prompt: Uint32Array; answer: Uint32Array };
type Learner = { template: ChatTemplate; vocabulary: Vocabulary };

/**
 * Every answer of a conversation that is to be learnt, as the model would have had to write it: what is trained begins where the prompt of the
 * same request ends, and goes up to the end token. Answers share a sequence where the later prompt begins with exactly the
 * tokens of the earlier turn; templates that take old reasoning out make a sequence of each.
 */
export function conversationSequences(
  learner: Learner,
  { messages, tools, seenOnly = [] }: CountableConversation,
  maxTokens: number,
): EncodedConversation {
  const sequences: Sequence[] = [];
  let tooLong = 0;
  const isLearnt = (at: number) => messages[at]?.role === 'assistant' && !seenOnly.includes(at);
  // A model is asked something before it answers: an answer in the first place is only seen.
  for (let at = 1; at < messages.length; at++) {
    if (!isLearnt(at)) continue;
    const { prompt, answer } = learnTurn(learner, { messages: messages.slice(0, at + 1), tools }, at);
    const length = prompt.length + answer.length;
    if (length > maxTokens) {
      tooLong++;
      // What follows is longer still, but for what templates take out of a history.
      if (prompt.length <= 2 * maxTokens) continue;
      tooLong += messages.filter((_, later) => later > at && isLearnt(later)).length;
      break;
    }
    const last = sequences.at(-1);
    const spans: Sequence['spans'] = last && startsWith(prompt, last.ids) ? last.spans : [];
    const sequence = { ids: concatenate([prompt, answer]), spans: [...spans, [prompt.length, length]] } as Sequence;
    if (spans.length > 0) sequences[sequences.length - 1] = sequence;
    else sequences.push(sequence);
  }
  if (sequences.length === 0 && tooLong === 0)
    throw new NotLearnable('No message stands before an answer, so there is nothing to learn.');
  return { type: 'conversation', sequences, tooLong };
}

function learnTurn({ template, vocabulary }: Learner, conversation: Conversation, at: number): LearntTurn {
  const message = conversation.messages[at];
  if (message?.role !== 'assistant') throw new Error('Only answers are learnt. This is a bug.');
  const rendered = renderOrRefuse(template, conversation, message, at);
  const rest = remainder(rendered.behind.segments, rendered.before.segments);
  if (rest === null)
    throw new NotLearnable(
      `The chat template of the model writes message ${at} in a way that its own prompt does not lead to.`,
    );
  checkComplete(rest.map(({ text }) => text).join(''), message, at);
  return { prompt: vocabulary.tokenizePrompt(rendered.before.segments), answer: closedAnswer(vocabulary, rest, at) };
}

function renderOrRefuse(template: ChatTemplate, conversation: Conversation, message: Answer, at: number) {
  try {
    // Some write their reasoning into the answer itself, as models do.
    const thinking = message.reasoning !== null || message.content.includes('</think>');
    return renderTurn(template, { ...conversation, thinking });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
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
function checkComplete(text: string, { reasoning, toolCalls }: Answer, at: number): void {
  if (reasoning !== null && !text.includes(reasoning.trim()))
    throw new NotLearnable(`Message ${at} has reasoning, which the chat template of the model leaves out.`);
  const lost = toolCalls.find(({ name }) => !text.includes(name));
  if (lost)
    throw new NotLearnable(`Message ${at} calls ${lost.name}, which the chat template of the model leaves out.`);
}

/** Up to the end token, which is trained too: a model that never learns it never stops. */
function closedAnswer(vocabulary: Vocabulary, rest: readonly Segment[], at: number): Uint32Array {
  const ids = concatenate(rest.map(({ text, special }) => vocabulary.tokenize(text, special)));
  const end = ids.findIndex(vocabulary.isEnd);
  if (end < 0)
    throw new NotLearnable(`The chat template of the model does not end message ${at} with a token that ends answers.`);
  const answer = ids.subarray(0, end + 1);
  if (textOf(vocabulary, answer) !== textUpToEnd(vocabulary, rest))
    throw new NotLearnable(
      `The tokens of message ${at} do not give back its text: the tokeniser of the model changes it.`,
    );
  return answer;
}

function textOf(vocabulary: Vocabulary, ids: Uint32Array): string {
  return Buffer.concat([...ids].map((token) => vocabulary.bytesOf(token))).toString();
}

/** Control tokens have no text of their own, so the comparison leaves them out on both sides. */
function textUpToEnd(vocabulary: Vocabulary, rest: readonly Segment[]): string {
  const parts: string[] = [];
  for (const { text, special } of rest) {
    if (!special) {
      parts.push(text);
      continue;
    }
    const [token] = vocabulary.tokenize(text, true);
    if (token === undefined) continue;
    if (vocabulary.isEnd(token)) break;
    parts.push(Buffer.from(vocabulary.bytesOf(token)).toString());
  }
  return parts.join('');
}

function startsWith(ids: Uint32Array, beginning: Uint32Array): boolean {
  return ids.length >= beginning.length && beginning.every((token, index) => ids[index] === token);
}
