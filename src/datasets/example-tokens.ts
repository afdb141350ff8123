import type { ChatMessage, Countable, TokenCounter } from '#engine';
import type { BaseModel } from '#models';
import type { ExampleContent, ExampleKind, ExampleMessage } from './content/example-content.ts';
import type { ExampleTokenCounter } from './examples/new-examples.ts';

export type ExampleTokensDeps = {
  models: { baseModels: () => readonly BaseModel[] };
  tokenCounter: TokenCounter;
};

type Counted = { kind: ExampleKind; targetModel: string | null };

/**
 * The model that counts for a dataset: the one that it names, else the first of its kind in the catalogue that is
 * installed. Null where it is not.
 */
export function countingModel(
  { models }: Pick<ExampleTokensDeps, 'models'>,
  { kind, targetModel }: Counted,
): BaseModel | null {
  const installed = models.baseModels().filter((model) => model.installed !== null && model.kind === kind);
  const model = targetModel === null ? installed[0] : installed.find(({ id }) => id === targetModel);
  return model ?? null;
}

export function tokenCounterOf(deps: ExampleTokensDeps, dataset: Counted): ExampleTokenCounter | null {
  const model = countingModel(deps, dataset);
  return (
    model && {
      maxTokens: model.maxContextTokens,
      count: (contents, signal) => deps.tokenCounter.count(model.id, contents.map(checkableOf), signal),
    }
  );
}

/** The count also says whether the model can learn it. */
export function checkableOf(content: ExampleContent): Countable {
  const countable = countableOf(content);
  return countable.type === 'conversation' ? { ...countable, isChecked: true } : countable;
}

/** In the words of the engine: what a model sees of an example. */
export function countableOf(content: ExampleContent): Countable {
  if ('query' in content) {
    const { query, positives, negatives } = content;
    return { type: 'inputs', texts: [query, ...[...positives, ...negatives].map(({ text }) => text)] };
  }
  const tools = (content.tools ?? []).map(({ function: { name, description = null, parameters = null } }) => ({
    name,
    description,
    parameters,
  }));
  const seenOnly = content.messages.flatMap((message, at) =>
    message.role === 'assistant' && message.weight === 0 ? [at] : [],
  );
  const messages = content.messages.map(messageOf);
  return { type: 'conversation', messages, tools, ...(seenOnly.length === 0 ? {} : { seenOnly }) };
}

function messageOf(message: ExampleMessage): ChatMessage {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', content: message.content, toolCallId: message.tool_call_id };
    case 'assistant': {
      const { content, reasoning_content: reasoning = null, tool_calls: calls = [] } = message;
      const toolCalls = calls.map(({ id, function: { name, arguments: args } }) => ({ id, name, arguments: args }));
      return { role: 'assistant', content: content ?? '', reasoning, toolCalls };
    }
    default:
      return { role: message.role, content: message.content };
  }
}
