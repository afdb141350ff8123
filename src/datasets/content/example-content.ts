export type ExampleToolCall = { function: { arguments: string; name: string }; id: string; type: 'function' };

export type ExampleMessage =
  | { role: 'system' | 'user'; content: string }
  | ExampleAnswer
  | { role: 'tool'; content: string; tool_call_id: string };

type ExampleAnswer = {
  role: 'assistant';
  content: string | null;
  reasoning_content?: string;
  tool_calls?: ExampleToolCall[];
  /** A message with weight 0 is context for later messages and is not learned. */
  weight?: 0;
};

export type ExampleTool = {
  function: { description?: string; name: string; parameters?: Record<string, unknown> };
  type: 'function';
};

export type TextContent = { messages: ExampleMessage[]; tools: ExampleTool[] | null };

export type Passage = { document_id: string | null; text: string };

/** A query, what it should find and what it should not. */
export type EmbeddingContent = { negatives: Passage[]; positives: Passage[]; query: string };

/** Stored, exported and shown in this form: the one of the interface. */
export type ExampleContent = TextContent | EmbeddingContent;

export type ExampleKind = 'text' | 'embedding';
