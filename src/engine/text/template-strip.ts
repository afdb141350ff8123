import type { parse } from '@huggingface/jinja';
import { isFields } from '#kernel';

type Program = ReturnType<typeof parse>;

const methods = ['strip', 'lstrip', 'rstrip'];
/** No template can use it by itself: the name is none of Jinja's identifiers. */
const stripName = 'strip characters';

/** The library ignores the argument of `strip`, `lstrip` and `rstrip`: such calls become calls of a function of ours. */
export function withStripArguments(program: Program): Program {
  rewrite(program);
  return program;
}

/** Refuses what has no such method: a template may rely on that, and is tried again with plain turns. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('strip is a method of strings');
  return value;
}

/** What the calls of a rewritten template call. */
export const stripFunctions = {
  [stripName]: (text: unknown, method: unknown, characters: unknown) =>
    stripCharacters(textOf(text), textOf(method), characters),
};

function rewrite(node: unknown): void {
  if (Array.isArray(node)) for (const each of node) rewrite(each);
  if (!isFields(node)) return;
  for (const part of Object.values(node)) rewrite(part);
  const { type, callee, args } = node;
  if (type !== 'CallExpression' || !Array.isArray(args) || args.length === 0 || !isFields(callee)) return;
  const { property, object } = callee;
  const method = callee['type'] === 'MemberExpression' && isFields(property) ? property['value'] : null;
  if (callee['computed'] === true || typeof method !== 'string' || !methods.includes(method)) return;
  node['callee'] = { type: 'Identifier', value: stripName };
  node['args'] = [object, { type: 'StringLiteral', value: method }, ...args];
}

/** As Python: a set of characters, or white space where there is none. */
function stripCharacters(text: string, method: string, characters: unknown): string {
  const units = [...text];
  const cut = characters === null || characters === undefined ? null : textOf(characters);
  const isCut = (unit: string | undefined) => unit !== undefined && (cut?.includes(unit) ?? /\s/.test(unit));
  let [from, to] = [0, units.length];
  if (method !== 'rstrip') while (isCut(units[from])) from += 1;
  if (method !== 'lstrip') while (to > from && isCut(units[to - 1])) to -= 1;
  return units.slice(from, to).join('');
}
