import { anyOf, type Expression, type Grammar, literal, sequence } from '../gbnf.ts';
import { anyObject } from '../json-rules.ts';
import { argumentsExpression } from '../tool-grammar.ts';
import type { AllowedCalls, CallFormatModule, CallReading } from './call-format.ts';
import type { CallInput } from './call-input.ts';
import { callOf, isKnown, spacedJson } from './json-values.ts';
import { probe, probeCalls, question } from './template-probe.ts';

const recipient = 'to=functions.';
const start = '<|start|>assistant';
const openings = [`<|channel|>commentary ${recipient}`, `<|channel|>analysis ${recipient}`, `${start} ${recipient}`];
const message = '<|message|>';
const headers = [start, `<|channel|>final${message}`, `<|channel|>commentary${message}`, '<|end|>'];

/** gpt-oss and models like it: messages on channels, the recipient of a call in their header. */
export const harmonyCalls: CallFormatModule<Record<string, never>> = {
  name: 'harmony',
  detect: (given) => {
    const text = given.render([question, probeCalls([{ name: probe.names[0], arguments: {} }])], { tools: true });
    return text?.includes(recipient + probe.names[0]) === true && text.includes(message) ? {} : null;
  },
  bind: () => ({
    openings,
    startsAnswer: true,
    closings: ['<|call|>', '<|end|>'],
    markers: [...openings, ...headers, '<|call|>', '<|constrain|>'],
    parallel: false,
    reasoning: { repeats: true },
    answerOpening: `<|channel|>final${message}`,
    headers,
    read: readCall,
    expression,
    write: (calls) =>
      calls
        .map(
          ({ name, arguments: given }) =>
            `<|channel|>commentary ${recipient}${name} json${message}${spacedJson(given)}`,
        )
        .join(`<|call|>${start}`),
  }),
};

function* readCall(
  input: CallInput,
  { opening, tools }: Parameters<ReturnType<typeof harmonyCalls.bind>['read']>[1],
): CallReading {
  if (opening === '' && !(yield* input.literal(recipient))) return;
  let name = '';
  for (let unit = yield* input.peek(); unit !== null && !/[\s<]/.test(unit); unit = yield* input.peek()) {
    name += unit;
    yield* input.next();
  }
  if (!isKnown(tools, name) || (yield* input.until([message], 200)) === null) return;
  const text = yield* input.json();
  const call = text === null ? null : callOf(name, text);
  if (call === null) return;
  input.commit();
  yield call;
}

/** The token behind a call ends the generation. */
function expression(grammar: Grammar, { tools, isHeld, opening }: AllowedCalls): Expression {
  const each = tools.map((tool) => {
    const given = isHeld(tool) ? argumentsExpression(grammar, tool) : anyObject(grammar);
    const channel = opening === null ? '<|channel|>commentary json' : ' json';
    return grammar.define('tool', sequence(literal(`${tool.name}${channel}${message}`), given));
  });
  const call = grammar.define('call', anyOf(each));
  if (opening !== null) return call;
  // Behind reasoning the next message has its header; at the beginning the prompt has begun it.
  return sequence(`${literal(start)}?`, literal(` ${recipient}`), call);
}
