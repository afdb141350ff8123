import type { ToolChoice } from '#engine';
import { isFields } from '#kernel';
import { refuse } from '../openai/refuse.ts';
import type { ResponsesTool, ToolChoiceBody } from './tools.schema.ts';
import type { UsedTool, UsedTools } from './tools.ts';

export type ReadChoice = {
  choice: ToolChoice;
  /** Those that the model is offered. */
  offered: readonly UsedTool[];
  /** As the response has it. */
  shown: ToolChoiceBody;
};

/** Reads `tool_choice`; what it forces must be possible with the tools that were sent. A tool that was left out forces nothing. */
export function readToolChoice(sent: ToolChoiceBody, tools: readonly ResponsesTool[], used: UsedTools): ReadChoice {
  const { list } = used;
  const auto: ReadChoice = { choice: { mode: 'auto' }, offered: list, shown: 'auto' };
  if (sent === 'required') {
    if (tools.length === 0) throw refuse('tool_choice', '"required" needs tools');
    return list.length === 0 ? auto : { choice: { mode: 'required' }, offered: list, shown: sent };
  }
  if (typeof sent === 'string') return { choice: { mode: sent }, offered: list, shown: sent };
  if ('mode' in sent) return allowed(sent, list);
  if (!('name' in sent) || (sent.type !== 'function' && sent.type !== 'custom')) return auto;
  const [named] = matching(list, sent);
  if (named) return { choice: { mode: 'named', name: named.definition.name }, offered: list, shown: sent };
  // A custom tool that could not be used was left out.
  if (sent.type === 'custom') return auto;
  throw refuse('tool_choice', 'names a tool that was not sent');
}

type Allowed = Extract<ToolChoiceBody, { mode: unknown }>;

function allowed(sent: Allowed, list: readonly UsedTool[]): ReadChoice {
  const allowed = new Set(
    sent.tools.flatMap((each, index) => {
      const found = matching(list, each);
      if (found.length === 0 && each.type === 'function')
        throw refuse(`tool_choice.tools[${index}]`, 'names a tool that was not sent');
      return found;
    }),
  );
  const offered = list.filter((tool) => allowed.has(tool));
  const mode = offered.length === 0 ? 'auto' : sent.mode;
  return { choice: { mode }, offered, shown: sent };
}

/** A tool of a namespace is named by itself, with its namespace beside it, or in front with a dot. A namespace names all its tools. */
function matching(list: readonly UsedTool[], named: object): readonly UsedTool[] {
  const { type, name, namespace } = isFields(named) ? named : {};
  if (type === 'namespace') return list.filter((tool) => tool.namespace !== null && tool.namespace === name);
  const called = list.filter((tool) => {
    if (typeof namespace === 'string') return tool.namespace === namespace && tool.name === name;
    return tool.name === name || (tool.namespace !== null && `${tool.namespace}.${tool.name}` === name);
  });
  // Some clients name every tool as a function.
  const ofKind = called.filter(({ kind }) => kind === type);
  const same = ofKind.length === 0 && type === 'function' ? called : ofKind;
  // The one without a namespace is meant first.
  const plain = same.filter((tool) => tool.namespace === null);
  return plain.length > 0 ? plain : same;
}
