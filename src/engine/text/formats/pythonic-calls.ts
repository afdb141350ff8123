import type { ToolDefinition } from '../../port.ts';
import { anyOf, type Expression, type Grammar, literal, sequence } from '../gbnf.ts';
import { anyValue } from '../json-rules.ts';
import { toolParameters } from '../tool-grammar.ts';
import type { AllowedCalls, CallFormatModule, CallReading, ParsedCall } from './call-format.ts';
import type { CallInput } from './call-input.ts';
import { asObject, callOf, isKnown } from './json-values.ts';
import { readLiteral, readSeparator, toPython } from './python-literal.ts';
import { memberList } from './schema-shape.ts';
import { probe, probeCalls, question } from './template-probe.ts';

type PythonicLayout = { open: string; close: string };

const liquid = { open: '<|tool_call_start|>', close: '<|tool_call_end|>' };

/** `[get_weather(city="Paris"), clock()]`: LFM2, between markers; Llama 4 and others without. */
export const pythonicCalls: CallFormatModule<PythonicLayout> = {
  name: 'pythonic',
  detect: (given) => {
    if (given.tools !== null && (given.source.includes(liquid.open) || given.hasToken(liquid.open))) return liquid;
    const call = { name: probe.names[0], arguments: { [probe.keys[0]]: probe.values[0] } };
    const text = given.render([question, probeCalls([call])], { tools: true }) ?? '';
    const written = new RegExp(`\\[${call.name}\\(${probe.keys[0]}=["']${probe.values[0]}["']\\)\\]`);
    return written.test(text) ? { open: '', close: '' } : null;
  },
  bind: ({ open, close }) => ({
    openings: open === '' ? [] : [open],
    startsAnswer: open === '',
    closings: [],
    markers: [open, close],
    parallel: true,
    read: (input, { tools }) => readList(input, close, tools),
    expression: (grammar, allowed) => listOfCalls(grammar, { open, close }, allowed),
    write: (calls) => `${open}[${calls.map(({ name, arguments: given }) => written(name, given)).join(', ')}]${close}`,
  }),
};

function written(name: string, given: unknown): string {
  const members = Object.entries(asObject(given) ?? {}).map(([key, value]) => `${key}=${toPython(value)}`);
  return `${name}(${members.join(', ')})`;
}

function* readList(input: CallInput, close: string, tools: readonly ToolDefinition[]): CallReading {
  const calls: ParsedCall[] = [];
  if (!(yield* input.literal('['))) return;
  do {
    const call = yield* readCall(input, tools);
    if (call === null || !(yield* readSeparator(input, ']'))) return;
    calls.push(call);
  } while ((yield* input.space()) !== ']');
  yield* input.next();
  if (close !== '' && !(yield* input.literal(close)) && (yield* input.space()) !== null) return;
  input.commit();
  yield* calls;
}

function* readCall(input: CallInput, tools: readonly ToolDefinition[]): Generator<null, ParsedCall | null> {
  yield* input.space();
  const name = yield* input.until(['('], 256);
  if (name === null || !isKnown(tools, name.text.trim())) return null;
  const members: string[] = [];
  while ((yield* input.space()) !== ')') {
    const key = yield* input.until(['='], 512);
    const value = key === null ? null : yield* readLiteral(input);
    if (key === null || value === null) return null;
    members.push(`${JSON.stringify(key.text.trim())}: ${value}`);
    if (!(yield* readSeparator(input, ')'))) return null;
  }
  yield* input.next();
  return callOf(name.text.trim(), `{${members.join(', ')}}`);
}

function listOfCalls(grammar: Grammar, { open, close }: PythonicLayout, allowed: AllowedCalls): Expression {
  const { tools, isHeld, most, opening } = allowed;
  const each = tools.map((tool) => {
    const given = isHeld(tool) ? heldArguments(grammar, tool) : anyArguments(grammar);
    return grammar.define('tool', sequence(literal(`${tool.name}(`), given, literal(')')));
  });
  const call = grammar.define('call', anyOf(each));
  const more = most === 1 ? '' : `(", " ${call}){0,${most - 1}}`;
  const head = opening === null ? `${open}[` : '[';
  return sequence(literal(head), call, more, literal(`]${close}`));
}

function anyArguments(grammar: Grammar): Expression {
  const member = grammar.define('argument', `[a-zA-Z_] [a-zA-Z0-9_]* "=" ${anyValue(grammar)}`);
  return `(${member} (", " ${member})*)?`;
}

function heldArguments(grammar: Grammar, tool: ToolDefinition): Expression {
  const parameters = toolParameters(grammar, tool);
  if (parameters === null) return anyArguments(grammar);
  const members = parameters.map(({ name, isRequired, value }) => ({
    text: sequence(literal(`${name}=`), value()),
    isRequired,
  }));
  return memberList(grammar, members, '", "');
}
