import type { EmbeddingTexts } from '../llama/embedding-texts.ts';
import type { ReadChat, ReadInputs } from '../llama/prompts.ts';
import type { SerializedPrompt } from '../llama/protocol.ts';
import type { ChatMessage, ToolDefinition } from '../port.ts';

export type Countable = CountableConversation | { type: 'inputs'; texts: string[] };

export type CountableConversation = {
  type: 'conversation';
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** Places of answers that are seen by what follows and not learnt. */
  seenOnly?: readonly number[];
  /** Where it is counted, it is also checked whether it can be learnt. */
  isChecked?: true;
};

/** What a model sees of it. Of inputs: all of them together, and the longest. `problem`: why the model cannot learn what was to be checked. */
export type TokenCount = { tokens: number; longest: number; problem?: string };

export type EncodeOptions = {
  /** Longest sequence, tokens: longer answers are left out, longer inputs are cut in front of their end token. */
  maxTokens: number;
  /** What templates that print the date take for today, Unix time, ms: the same conversation gives the same tokens. */
  nowMs: number;
};

type Span = [start: number, end: number];

export type Sequence = {
  ids: Uint32Array;
  /** What is trained, each with its end token. */
  spans: Span[];
};

/** A conversation as it is learnt; or why it cannot be. `tooLong`: answers that did not fit. `problem`: why other answers are left out. */
export type EncodedConversation = { type: 'conversation'; sequences: Sequence[]; tooLong: number; problem?: string };
type EncodedInputs = { type: 'inputs'; inputs: Uint32Array[]; truncated: number };
export type Encoded = EncodedConversation | EncodedInputs | { type: 'refused'; reason: string };

/**
 * What counting needs to know of a model beside the tokens of a text: with it everything but the tokeniser itself can run
 * where the texts are.
 */
export type CountingBasis = {
  template: string | null;
  controlTexts: string[];
  bosText: string;
  eosText: string;
  /** Tokens in front of a conversation, and around a text to embed. */
  inFront: number;
  aroundInput: number;
  /** How texts are divided into words whose counts can be remembered; null: it is not known. */
  division: Division | null;
};

/** Names that files have for a way to divide texts that is known here. */
export const dividerNames = ['qwen2'] as const;

/** `added`: tokens that are found in any text before it is divided, the longest first, as llama.cpp looks for them. */
export type Division = {
  divider: (typeof dividerNames)[number];
  added: string[];
  /** Some of them take the blanks beside them, too. */
  addedTakeBlanks: boolean;
};

export type VocabularyFacts = {
  templateSha256: string | null;
  /** SHA-256 of the tokens and what they are for. */
  tokenizerSha256: string;
  /** What batches are filled up with. */
  padId: number;
};

/** A request to the process that knows the vocabularies of models. `items`: JSON of a list of `Countable`, because digits and the order of keys outlast no other way. */
export type VocabularyRequest = { ggufPath: string } & (
  | { type: 'count'; items: string }
  | { type: 'encode'; items: string; options: EncodeOptions }
  | { type: 'describe' }
  | { type: 'basis' }
  | { type: 'countTexts'; texts: readonly string[] }
  | ReadRequest
);

/** A prompt, or texts to embed, to be made the tokens that a model runs on; more than fit are not read. */
export type ReadRequest =
  | { type: 'readChat'; prompt: SerializedPrompt; most: number }
  | { type: 'readText'; text: string; addSpecialTokens: boolean; most: number }
  | { type: 'readTokens'; tokens: readonly number[] }
  | ({
      type: 'readInputs';
      /** Tokens of all of them together. */
      most: number;
    } & EmbeddingTexts);

/** `tooLong`: the prompt, an input, or all inputs together have so many tokens at least. `cutInput`: one of several inputs had to be cut. */
export type ReadResponse =
  | { type: 'chatRead'; read: ReadChat }
  | { type: 'inputsRead'; read: ReadInputs }
  | { type: 'textRead'; tokens: Uint32Array }
  | { type: 'tokensRead'; text: string }
  | { type: 'tooLong'; of: 'prompt' | 'input' | 'inputs' | 'cutInput'; atLeast: number }
  | { type: 'refused'; message: string; param: string | null };

/** Of the counting child (`counter-child.ts`), which loads the vocabulary of a model's file when it first needs it. */
export type VocabularyResponse =
  | { type: 'counted'; counts: TokenCount[] }
  | { type: 'encoded'; items: Encoded[] }
  | { type: 'described'; facts: VocabularyFacts }
  | { type: 'basis'; basis: CountingBasis }
  | { type: 'textsCounted'; counts: Uint32Array }
  | ReadResponse;
