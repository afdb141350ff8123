import type { ToolDefinition } from '../../port.ts';
import type { Expression, Grammar } from '../gbnf.ts';
import type { CallInput } from './call-input.ts';
import type { ReasoningFormat } from './derive-reasoning.ts';
import type { TemplateProbe } from './template-probe.ts';

export type ParsedCall = { name: string; arguments: string };

/** Yields the calls it reads, and null where it needs more text. It ends behind the last call, or where the text is no call. */
export type CallReading = Generator<ParsedCall | null, void>;

/** The calls that a grammar is to allow. */
export type AllowedCalls = {
  tools: readonly ToolDefinition[];
  /** The arguments of a tool are held to its schema; else they are any object. */
  isHeld: (tool: ToolDefinition) => boolean;
  /** How many calls, at most. */
  most: number;
  /** The opening that the model has written already; null: the calls are written whole. */
  opening: string | null;
};

/** How a model writes tool calls. */
export type CallFormat = {
  /** Texts that begin calls wherever they stand in an answer. None is empty. */
  openings: readonly string[];
  /** Calls may also begin an answer without any opening. */
  startsAnswer: boolean;
  /** Texts behind calls that belong to them. */
  closings: readonly string[];
  /** All fixed text of calls: control tokens that occur in it must be visible to the parser. */
  markers: readonly string[];
  /** More than one call in an answer. */
  parallel: boolean;
  /** Reads from behind an opening; `''`: from the beginning of an answer. */
  read: (input: CallInput, call: { opening: string; tools: readonly ToolDefinition[] }) => CallReading;
  /** What the model must write. */
  expression: (grammar: Grammar, calls: AllowedCalls) => Expression;
  /** Where they cannot be derived from the template. */
  reasoning?: Partial<ReasoningFormat>;
  answerOpening?: string;
  headers?: string[];
  /** Calls as text, for templates that leave calls out. */
  write: (calls: readonly { name: string; arguments: unknown }[]) => string;
};

/** A family of formats. `Layout` is plain data: it is sent to other processes, which bind it again. */
export type CallFormatModule<Layout = unknown> = {
  name: string;
  /** The layout of the calls of this template; null: it does not write calls so. */
  detect: (probe: TemplateProbe) => Layout | null;
  bind: (layout: Layout) => CallFormat;
};

/** Names a format, in plain data. */
export type CallFormatSpec = { name: string; layout: unknown };
