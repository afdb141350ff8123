import { fault, lazy } from '#kernel';
import type { Adapter, ChatPrompt, Sampling } from '../port.ts';
import { queryTooLong } from '../refusals.ts';
import { bindOutputFormat, type OutputFormat, plainFormat } from '../text/formats/output-format.ts';
import { fieldOf, type GrammarTexts, tooComplex } from '../text/grammar.ts';
import { type ChatTemplate, renderChat, type Segment } from '../text/template.ts';
import type { NativeModel } from './binding.ts';
import type { EmbeddingTexts } from './embedding-texts.ts';
import type { PromptFacts, ReasoningTags } from './generation.ts';
import { Grammars, type RequestGrammars } from './grammars.ts';
import { infillSegments } from './infill.ts';
import type { InputFrame } from './input-frame.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Turns requests into tokens, before they run. Faults are the caller's: `invalid_request` with the field. */
export type TokenizedChat = {
  kind: 'chat';
  facts: PromptFacts;
  adapter: Adapter | null;
  tools: ChatPrompt['tools'];
  format: OutputFormat;
  parallelToolCalls: boolean;
  reasoningEffort: ChatPrompt['reasoningEffort'];
};
export type TokenizedInputs = { kind: 'inputs'; inputs: Uint32Array[]; adapter: Adapter | null; scope: string };

/** With effort `low` reasoning is closed after this many tokens, or after half of `max_tokens` when that is less. */
const lowReasoningTokens = 256;

/**
 * Tokens of reasoning after which it is closed by force. Effort `high` and the model's own default set no bound. What the caller allows
 * has room for the tokens that close it.
 */
export function reasoningBudget(
  effort: ChatPrompt['reasoningEffort'],
  { maxTokens, maxReasoningTokens = null }: Pick<Sampling, 'maxTokens' | 'maxReasoningTokens'>,
  { forcedClose, hasSwitch }: Pick<ReasoningTags, 'forcedClose' | 'hasSwitch'>,
): number {
  if (effort === 'none' && !hasSwitch) return 0;
  const ofEffort = effort === 'low' ? Math.min(lowReasoningTokens, Math.ceil(maxTokens / 2)) : Infinity;
  if (maxReasoningTokens === null) return ofEffort;
  return Math.min(ofEffort, Math.max(0, maxReasoningTokens - forcedClose.length));
}

export function reasoningTags(vocabulary: Vocabulary, format: OutputFormat | null): ReasoningTags {
  const reasoning = format?.reasoning ?? null;
  if (reasoning === null) return { open: null, forcedClose: new Uint32Array(0), hasSwitch: true };
  const [open = null] = vocabulary.tokenize(reasoning.open, true);
  // Closed as the model itself would have closed it.
  const hasSwitch = format?.efforts.none !== undefined;
  return { open, forcedClose: vocabulary.tokenize(reasoning.forcedClose, true), hasSwitch };
}

export type PromptMaker = {
  /** `read`: where its messages were read elsewhere. */
  chat: (prompt: ChatPrompt, grammars: GrammarTexts, read?: ReadChat) => TokenizedChat;
  inputs: (request: EmbeddingTexts & { adapter: Adapter | null; scope?: string; read?: ReadInputs }) => {
    prepared: TokenizedInputs;
    report: ReadInputs['report'];
  };
};

export function createPromptMaker(model: NativeModel, vocabulary: Vocabulary, now: () => Date): PromptMaker {
  const grammars = new Grammars(model);
  const template = templateOf(vocabulary, now);

  return {
    chat: (prompt, texts, read) => {
      const tokenize = (segments: readonly Segment[]) => vocabulary.tokenizePrompt(segments);
      const facts = read ?? readChat({ template, vocabulary, tokenize }, prompt);
      return {
        kind: 'chat',
        facts: { ...facts, ...grammarsOf(grammars, prompt, texts) },
        adapter: prompt.target.adapter,
        tools: prompt.toolChoice.mode === 'none' ? [] : prompt.tools,
        format: prompt.suffix === undefined ? template().format : bindOutputFormat(plainFormat),
        parallelToolCalls: prompt.parallelToolCalls,
        reasoningEffort: prompt.reasoningEffort,
      };
    },
    inputs: ({ adapter, scope = '', read, ...texts }) => {
      const { inputs, report } = read ?? readInputs(vocabulary, texts);
      return { prepared: { kind: 'inputs', inputs, adapter, scope }, report };
    },
  };
}

/** How long inputs in a frame may be, and whether longer ones are cut. Throws where none fits, however short. */
export function inputBound(
  frame: InputFrame,
  { query, maxInputTokens: most, maxDocumentTokens, truncate }: Omit<EmbeddingTexts, 'texts'>,
) {
  if (query !== undefined && frame.size >= most) throw queryTooLong({ atLeast: frame.size, most });
  const ofDocument = maxDocumentTokens === undefined ? Infinity : frame.size + maxDocumentTokens;
  return { most: Math.min(most, ofDocument), isCut: truncate || ofDocument <= most };
}

function readInputs(vocabulary: Vocabulary, { texts, ...bounds }: EmbeddingTexts): ReadInputs {
  const frame = vocabulary.inputFrame(bounds.query);
  const { most, isCut } = inputBound(frame, bounds);
  const report: ReadInputs['report'] = [];
  const inputs = texts.map((text) => {
    const whole = frame.tokenize(text);
    const truncated = isCut && whole.length > most;
    const tokens = truncated ? frame.cut(whole, most) : whole;
    report.push({ tokens: tokens.length, truncated });
    return tokens;
  });
  return { inputs, report };
}

function grammarsOf(grammars: Grammars, prompt: ChatPrompt, texts: GrammarTexts): RequestGrammars {
  try {
    return grammars.of(texts);
  } catch (cause) {
    throw fault('invalid_request', { param: fieldOf(prompt), message: tooComplex, cause });
  }
}

export type ReadChat = Omit<PromptFacts, 'constraint' | 'calls'>;
/** Texts to embed as tokens; `report` has what became of each. */
export type ReadInputs = { inputs: Uint32Array[]; report: { tokens: number; truncated: boolean }[] };

/** Compiled at the first call. It throws `invalid_request` where the model cannot chat. */
export function templateOf(vocabulary: Vocabulary, now: () => Date): () => ChatTemplate {
  return lazy(() => {
    const template = vocabulary.template(now);
    if (template === null)
      throw fault('invalid_request', { param: 'model', message: 'This model has no chat template.' });
    return template;
  });
}

export type ChatReading = {
  template: () => ChatTemplate;
  vocabulary: Pick<Vocabulary, 'infill'>;
  tokenize: (segments: readonly Segment[]) => Uint32Array;
};

export function readChat({ template, vocabulary, tokenize }: ChatReading, prompt: ChatPrompt): ReadChat {
  const { messages, suffix } = prompt;
  if (suffix !== undefined) {
    const tokens = tokenize(infillSegments(vocabulary.infill(), { messages, suffix }));
    return { tokens, reasons: false, startsInReasoning: false, thinkingDisabled: false };
  }
  const compiled = template();
  const { segments, startsInReasoning, thinkingDisabled } = renderChat(compiled, prompt);
  const reasons = compiled.format.reasoning !== null;
  return { tokens: tokenize(segments), reasons, startsInReasoning, thinkingDisabled };
}
