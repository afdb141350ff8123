import type { ToolDefinition } from '../../port.ts';
import { anyOf, type Expression, type Grammar, literal, optional, sequence } from '../gbnf.ts';
import { anyObject } from '../json-rules.ts';
import { argumentsExpression, taggedParameters } from '../tool-grammar.ts';
import type { AllowedCalls } from './call-format.ts';
import { openingsOf } from './call-openings.ts';
import type { CallLayout, LayoutPart } from './derive-layout.ts';

/** Calls exactly as the chat template would render them. */
export function derivedExpression(grammar: Grammar, layout: CallLayout, allowed: AllowedCalls): Expression {
  const { section, call } = openingsOf(layout);
  const { opening } = allowed;
  const isInSection = opening === null || (section !== '' && opening === section);
  const open = opening === null ? layout.open : section === '' ? '' : layout.open.trimStart().slice(section.length);
  const first = oneOf(grammar, layout, allowed, isInSection ? '' : call);
  const next = isInSection ? first : oneOf(grammar, layout, allowed, '');
  const most = layout.between === null ? 1 : allowed.most;
  const more = most === 1 ? '' : `(${sequence(literal(layout.between ?? ''), next)}){0,${most - 1}}`;
  if (!isInSection) return first;
  return sequence(open === '' ? '' : literal(open), first, more, closing(layout));
}

/** What the token that ends an answer may stand for: only the end of a list must be there. */
function closing({ close, json }: CallLayout): Expression {
  const list = json?.list === true ? close.slice(0, close.indexOf(']') + 1) : '';
  const rest = close.slice(list.length);
  return sequence(list === '' ? '' : literal(list), rest === '' ? '' : optional(literal(rest)));
}

/** A call of one of the tools. Strict tools come first: what a call may need in all is theirs before others have their share. */
function oneOf(grammar: Grammar, layout: CallLayout, { tools, isHeld }: AllowedCalls, opening: string): Expression {
  const strictFirst = tools.toSorted((one, other) => Number(other.strict === true) - Number(one.strict === true));
  const each = strictFirst.map((tool) => oneCall(grammar, layout, { tool, isHeld: isHeld(tool), opening }));
  return grammar.define('call', anyOf(each));
}

type OneCall = { tool: ToolDefinition; isHeld: boolean; opening: string };

function oneCall(grammar: Grammar, layout: CallLayout, { tool, isHeld, opening }: OneCall): Expression {
  const { json, head, middle, tail, arguments: given } = layout;
  const [start, ...rest] = head;
  const begun = typeof start === 'string' ? start.trimStart().slice(opening.length) : start;
  const before = opening === '' ? head : begun === undefined ? rest : [begun, ...rest];
  const name = json === null ? tool.name : JSON.stringify(tool.name).slice(1, -1);
  const whole = joined([...before, name, ...middle]);
  if (given.kind === 'json') {
    const value = isHeld ? argumentsExpression(grammar, tool) : anyObject(grammar);
    return grammar.define('tool', sequence(...expressions(whole), value, ...expressions(joined(tail))));
  }
  const ends: [string, ...string[]] = [given.close.trim(), ...endTexts(layout)];
  const parameters = taggedParameters(grammar, tool, { tags: given, isHeld, ends });
  // Each parameter has the separator behind it: so that of the end is there already.
  const [end, ...others] = joined(tail);
  const hasSeparator = typeof end === 'string' && end.startsWith(given.separator);
  const behind = hasSeparator ? [end.slice(given.separator.length), ...others] : tail;
  return grammar.define('tool', sequence(...expressions(whole), ...parameters, ...expressions(joined(behind))));
}

/** The end of a call ends its parameters, too. */
function endTexts({ tail }: CallLayout): string[] {
  const text = tail
    .map((part) => (typeof part === 'string' ? part : ''))
    .join('')
    .trim();
  const last = text.split(/\s+/).at(-1) ?? '';
  return last === '' ? [] : [last];
}

/** Neighbouring fixed texts become one. */
function joined(parts: readonly LayoutPart[]): LayoutPart[] {
  const result: LayoutPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (typeof part === 'string' && typeof last === 'string') result[result.length - 1] = last + part;
    else if (part !== '') result.push(part);
  }
  return result;
}

function expressions(parts: readonly LayoutPart[]): Expression[] {
  return parts.map((part) => {
    if (typeof part === 'string') return literal(part);
    return part.id === 'number' ? '("0" | [1-9] [0-9]?)' : '[a-zA-Z0-9_-]{1,32}';
  });
}
