import type { ChatMessage, ToolDefinition } from '../port.ts';

/** A whole conversation, or texts that are embedded one by one. */
export type Countable =
  | { type: 'conversation'; messages: ChatMessage[]; tools: ToolDefinition[] }
  | { type: 'inputs'; texts: string[] };

/** What a model sees of it. Of inputs: all of them together, and the longest. */
export type TokenCount = { tokens: number; longest: number };

/**
 * Messages between the server and the counting child (`counter-child.ts`), over the fork's IPC channel. It loads the
 * vocabulary of a model's file when it first needs it and answers every `count` with `counted` or `failed`, in order.
 * It ends on `stop`, and when the channel disconnects.
 */
export type ToCounter = { type: 'count'; id: number; ggufPath: string; items: Countable[] } | { type: 'stop' };

export type FromCounter =
  | { type: 'counted'; id: number; counts: TokenCount[] }
  | { type: 'failed'; id: number; message: string };
