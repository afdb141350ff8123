import { createHash } from 'node:crypto';
import type { ToolDefinition } from '#engine';
import { type Fields, isFields } from '#kernel';
import { refuse } from '../openai/refuse.ts';
import type { FunctionToolBody, ResponsesTool } from './tools.schema.ts';

/** How the caller knows a tool. */
export type ToolName = { kind: 'function' | 'custom'; name: string; namespace: string | null };

/** A tool as the model knows it, and as the caller does. */
export type UsedTool = ToolName & { definition: ToolDefinition };

export type UsedTools = {
  list: readonly UsedTool[];
  /** Those that are used, in the form in which they were sent. */
  shown: readonly object[];
};

const namePattern = /^[A-Za-z0-9_-]+$/;
const maxNameLength = 128;
const maxUsed = 512;

/** Reads `tools`: what is no function becomes one, or is left out. */
export function readTools(sent: readonly ResponsesTool[]): UsedTools {
  const reader = new ToolReader();
  const shown = sent.flatMap((tool, index) => reader.read(tool, `tools[${index}]`) ?? []);
  if (reader.list.length > maxUsed)
    throw refuse('tools', `expected at most ${maxUsed} tools, those of namespaces included`);
  return { list: reader.list, shown };
}

class ToolReader {
  readonly list: UsedTool[] = [];
  readonly #names = new Set<string>();
  readonly #functions = new Set<string>();

  /** The tool as it is shown; null: it is left out. */
  read(tool: ResponsesTool, path: string): object | null {
    if (isFunction(tool)) {
      if (this.#functions.has(tool.name)) throw refuse(`${path}.name`, 'two functions have this name');
      this.#functions.add(tool.name);
      return this.#function(tool, null);
    }
    if (tool.type === 'namespace') return this.#namespace(tool);
    return tool.type === 'custom' ? this.#custom(tool, null) : null;
  }

  #function({ name, description, parameters, strict }: FunctionToolBody, namespace: string | null): object {
    const isStrict = typeof strict === 'boolean' ? { strict } : {};
    const told = { description: description ?? null, parameters: parameters ?? null };
    this.#use({ kind: 'function', name, namespace }, { ...told, ...isStrict });
    return { type: 'function', name, ...told, strict: false, ...isStrict };
  }

  #custom(tool: Fields, namespace: string | null): object | null {
    const { name, description, format } = tool;
    if (typeof name !== 'string' || name === '') return null;
    const told = [typeof description === 'string' ? description : '', wordsOfFormat(format)];
    this.#use(
      { kind: 'custom', name, namespace },
      {
        description: told.filter((text) => text !== '').join('\n\n') || null,
        parameters: {
          type: 'object',
          properties: { input: { type: 'string' } },
          required: ['input'],
          additionalProperties: false,
        },
        strict: true,
      },
    );
    return { ...tool };
  }

  #namespace(group: Fields): object | null {
    const { name, tools } = group;
    if (typeof name !== 'string' || name === '' || !Array.isArray(tools)) return null;
    const shown = tools.filter(isFields).flatMap((tool) => {
      if (tool.type === 'custom') return this.#custom(tool, name) ?? [];
      return tool.type === 'function' && typeof tool.name === 'string' && tool.name !== ''
        ? this.#function(leniently(tool, tool.name), name)
        : [];
    });
    return shown.length === 0 ? null : { ...group, tools: shown };
  }

  #use(known: ToolName, told: Omit<ToolDefinition, 'name'>): void {
    const preferred = modelNameOf(known);
    let name = preferred;
    for (let count = 2; this.#names.has(name); count++) name = `${preferred.slice(0, maxNameLength - 5)}_${count}`;
    this.#names.add(name);
    this.list.push({ ...known, definition: { name, ...told } });
  }
}

const isFunction = (tool: ResponsesTool): tool is FunctionToolBody => tool.type === 'function';

/** A function in a namespace is never refused: what is wrong with it is left out. */
function leniently({ description, parameters, strict }: Fields, name: string): FunctionToolBody {
  return {
    type: 'function',
    name,
    description: typeof description === 'string' ? description : null,
    parameters: isFields(parameters) ? parameters : null,
    strict,
  };
}

function wordsOfFormat(format: unknown): string {
  if (!isFields(format) || format.type !== 'grammar') return '';
  // As in chat completions, the grammar may be one level deeper.
  const { definition, syntax } = isFields(format.grammar) ? format.grammar : format;
  if (typeof definition !== 'string') return '';
  return `The input must follow this ${typeof syntax === 'string' ? `${syntax} ` : ''}grammar:\n${definition}`;
}

/** What the model calls a tool, if no other has this name. The same in every request, so that histories fit. */
function modelNameOf({ name, namespace }: ToolName): string {
  const joined = namespace === null ? name : `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`;
  if (joined.length <= maxNameLength && namePattern.test(joined)) return joined;
  const digest = createHash('sha256').update(joined).digest('hex').slice(0, 8);
  return `${joined.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, maxNameLength - 12)}_${digest}`;
}

/** What the model calls the tool of an earlier call, whether or not it is among the tools of this request. */
export function nameForModel({ list }: UsedTools, called: ToolName): string {
  const same = list.filter(({ name, namespace }) => name === called.name && namespace === called.namespace);
  const used = same.find(({ kind }) => kind === called.kind) ?? same[0];
  return used?.definition.name ?? modelNameOf(called);
}

/** The tool that a model calls by this name. */
export function toolCalled({ list }: UsedTools, nameOfModel: string): ToolName {
  const used = list.find(({ definition }) => definition.name === nameOfModel);
  return used ?? { kind: 'function', name: nameOfModel, namespace: null };
}
