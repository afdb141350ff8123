import { createHash } from 'node:crypto';
import type { NativeModel } from '../llama/binding.ts';
import { concatenate } from '../llama/input-frame.ts';
import { createVocabulary, type Vocabulary } from '../llama/vocabulary.ts';
import type { ChatTemplate, Segment } from '../text/template.ts';
import { type LearntTurn, learntTurns, NotLearnable, renderLearnt } from './learnable-turns.ts';
import type {
  Countable,
  CountableConversation,
  Encoded,
  EncodedConversation,
  EncodeOptions,
  Sequence,
  VocabularyFacts,
} from './vocabulary-protocol.ts';

export type ModelEncoder = {
  encode: (items: readonly Countable[], options: EncodeOptions) => Encoded[];
  describe: () => VocabularyFacts;
};

type Model = Pick<NativeModel, 'addon' | 'facts'>;

export function createModelEncoder(model: Model): ModelEncoder {
  const vocabulary = createVocabulary(model);
  return {
    encode: (items, options) => items.map(createEncoding(vocabulary, options)),
    describe: () => describe(model, vocabulary),
  };
}

function createEncoding(vocabulary: Vocabulary, { maxTokens, nowMs }: EncodeOptions) {
  const template = vocabulary.template(() => new Date(nowMs));

  return (item: Countable): Encoded => {
    if (item.type === 'inputs') return encodeInputs(vocabulary, item.texts, maxTokens);
    if (template === null) return { type: 'refused', reason: 'The model has no chat template.' };
    try {
      return conversationSequences({ template, vocabulary }, item, maxTokens);
    } catch (error) {
      if (error instanceof NotLearnable) return { type: 'refused', reason: error.message };
      throw error;
    }
  };
}

function encodeInputs(vocabulary: Vocabulary, texts: readonly string[], maxTokens: number): Encoded {
  let truncated = 0;
  const frame = vocabulary.inputFrame();
  const inputs = texts.map((text) => {
    const whole = frame.tokenize(text);
    if (whole.length <= maxTokens) return whole;
    truncated++;
    return frame.cut(whole, maxTokens);
  });
  return { type: 'inputs', inputs, truncated };
}

function describe({ addon, facts }: Model, vocabulary: Vocabulary): VocabularyFacts {
  const hash = createHash('sha256');
  for (let token = 0; token < facts.vocabularySize; token++)
    hash.update(JSON.stringify([addon.getTokenString(token) ?? null, addon.getTokenAttributes(token)]));
  hash.update(JSON.stringify([addon.getVocabularyType(), facts.preTokenizer, vocabulary.bosText, vocabulary.eosText]));
  const { chatTemplate } = facts;
  return {
    templateSha256: chatTemplate === null ? null : createHash('sha256').update(chatTemplate).digest('hex'),
    tokenizerSha256: hash.digest('hex'),
    padId: Math.max(0, addon.tokenEos()),
  };
}

type Learner = { template: ChatTemplate; vocabulary: Vocabulary };

/**
 * Every answer of a conversation that is to be learnt, as the model would have had to write it: what is trained begins where the prompt of the
 * same request ends, and goes up to the end token. Answers share a sequence where the later prompt begins with exactly the
 * tokens of the earlier turn; templates that take old reasoning out make a sequence of each. Answers that cannot be learnt are left
 * out. Throws `NotLearnable` where none remains.
 */
function conversationSequences(
  learner: Learner,
  conversation: CountableConversation,
  maxTokens: number,
): EncodedConversation {
  const sequences: Sequence[] = [];
  let tooLong = 0;
  let problem: string | null = null;
  const turns = learntTurns(conversation);
  if (turns.length === 0) throw new NotLearnable('No message stands before an answer, so there is nothing to learn.');
  for (const [index, turn] of turns.entries()) {
    const encoded = encodeTurn(learner, turn);
    if (encoded instanceof NotLearnable) {
      problem ??= encoded.message;
      continue;
    }
    const { prompt, answer } = encoded;
    const length = prompt.length + answer.length;
    if (length > maxTokens) {
      tooLong++;
      // What follows is longer still, but for what templates take out of a history.
      if (prompt.length <= 2 * maxTokens) continue;
      tooLong += turns.length - index - 1;
      break;
    }
    const last = sequences.at(-1);
    const spans: Sequence['spans'] = last && startsWith(prompt, last.ids) ? last.spans : [];
    const sequence = { ids: concatenate([prompt, answer]), spans: [...spans, [prompt.length, length]] } as Sequence;
    if (spans.length > 0) sequences[sequences.length - 1] = sequence;
    else sequences.push(sequence);
  }
  if (problem !== null && sequences.length === 0 && tooLong === 0) throw new NotLearnable(problem);
  return { type: 'conversation', sequences, tooLong, ...(problem === null ? {} : { problem }) };
}

type EncodedTurn = { prompt: Uint32Array; answer: Uint32Array };

function encodeTurn({ template, vocabulary }: Learner, turn: LearntTurn): EncodedTurn | NotLearnable {
  try {
    const { prompt, written } = renderLearnt(template, turn);
    return { prompt: vocabulary.tokenizePrompt(prompt), answer: closedAnswer(vocabulary, written, turn.at) };
  } catch (error) {
    if (error instanceof NotLearnable) return error;
    throw error;
  }
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
