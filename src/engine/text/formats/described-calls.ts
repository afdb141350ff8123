import type { CallFormatModule } from './call-format.ts';
import type { CallLayout } from './derive-layout.ts';
import { derivedCalls, hermesLayout } from './derived-calls.ts';

const listBehind = (open: string): CallLayout => ({
  open: `${open}[`,
  close: ']',
  between: ', ',
  head: ['{"name": "'],
  middle: ['", "arguments": '],
  tail: ['}'],
  arguments: { kind: 'json' },
  json: { list: true, name: 'name', arguments: 'arguments' },
});

/** What templates that leave calls out tell the model to write, by the marker that they name. */
const described: readonly [string, CallLayout][] = [
  ['<tool_call>', hermesLayout],
  ['<|tool_call|>', listBehind('<|tool_call|>')],
  ['[TOOL_CALLS]', listBehind('[TOOL_CALLS]')],
];

/** Granite 3, SmolLM3 and others whose templates describe calls in words only. */
export const describedCalls: CallFormatModule<CallLayout> = {
  name: 'described',
  detect: ({ source, tools }) =>
    tools === null ? null : (described.find(([marker]) => source.includes(marker))?.[1] ?? null),
  bind: derivedCalls.bind,
};
