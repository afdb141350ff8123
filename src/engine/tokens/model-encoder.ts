import { createHash } from 'node:crypto';
import type { NativeModel } from '../llama/binding.ts';
import { createVocabulary, type Vocabulary } from '../llama/vocabulary.ts';
import { compileChatTemplate } from '../text/template.ts';
import { conversationSequences } from './conversation-sequences.ts';
import type { Countable, Encoded, EncodeOptions, Sequence, ShownPart, VocabularyFacts } from './counter-protocol.ts';
import { NotLearnable } from './learnt-turns.ts';

export type ModelEncoder = {
  encode: (items: readonly Countable[], options: EncodeOptions) => Encoded[];
  describe: () => VocabularyFacts;
};

type Model = Pick<NativeModel, 'addon' | 'facts'>;

/** Makes of examples the tokens that a model learns. */
export function createModelEncoder(model: Model): ModelEncoder {
  const vocabulary = createVocabulary(model);
  return {
    encode: (items, options) => {
      const encodeOne = createEncoding(model, vocabulary, options);
      return items.map((item, index) => encodeOne(item, index < options.shown));
    },
    describe: () => describe(model, vocabulary),
  };
}

function createEncoding({ addon, facts }: Model, vocabulary: Vocabulary, { maxTokens, nowMs }: EncodeOptions) {
  const { controlTexts: controlTokens, bosText: bosToken, eosText: eosToken } = vocabulary;
  const source = facts.chatTemplate;
  const now = () => new Date(nowMs);
  const template = source === null ? null : compileChatTemplate({ source, controlTokens, bosToken, eosToken, now });

  return (item: Countable, isShown: boolean): Encoded => {
    if (item.type === 'inputs') return encodeInputs(vocabulary, item.texts, maxTokens);
    if (template === null) return { type: 'refused', reason: 'The model has no chat template.' };
    try {
      const encoded = conversationSequences({ template, vocabulary }, item, maxTokens);
      const show = (sequence: Sequence) => ({ ...sequence, shown: shownParts(addon, vocabulary, sequence) });
      return isShown ? { ...encoded, sequences: encoded.sequences.map(show) } : encoded;
    } catch (error) {
      if (error instanceof NotLearnable) return { type: 'refused', reason: error.message };
      throw error;
    }
  };
}

function encodeInputs(vocabulary: Vocabulary, texts: readonly string[], maxTokens: number): Encoded {
  let truncated = 0;
  const inputs = texts.map((text) => {
    const whole = vocabulary.tokenizeInput(text);
    if (whole.length <= maxTokens) return whole;
    truncated++;
    return vocabulary.cutInput(whole, maxTokens);
  });
  return { type: 'inputs', inputs, truncated };
}

/** A sequence in words, control tokens by their names. */
function shownParts(addon: Model['addon'], vocabulary: Vocabulary, { ids, spans }: Sequence): ShownPart[] {
  const bytesOf = (token: number) => {
    const bytes = vocabulary.bytesOf(token);
    return bytes.length > 0 ? bytes : Buffer.from(addon.getTokenString(token) ?? '');
  };
  const textOf = (start: number, end: number) => Buffer.concat([...ids.subarray(start, end)].map(bytesOf)).toString();
  const parts: ShownPart[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    parts.push({ text: textOf(at, start), trained: false }, { text: textOf(start, end), trained: true });
    at = end;
  }
  return parts;
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
