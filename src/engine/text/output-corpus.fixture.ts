import { formats } from './formats/formats.fixture.ts';
import type { ParsedOutput, Setup } from './output-parser.fixture.ts';

export const sun = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>';
export const sunCall = { name: 'get_weather', arguments: '{"city":"Paris"}' };

/** What each output becomes, whole. */
export const corpus: { name: string; text: string; setup?: Setup; expected: Partial<ParsedOutput> }[] = [
  { name: 'plain text', text: 'Hello, world 🙂!\n', expected: { content: 'Hello, world 🙂!\n' } },
  { name: 'nothing', text: '', expected: {} },
  { name: 'only whitespace', text: ' \n ', expected: { content: ' \n ' } },
  {
    name: 'reasoning and answer',
    text: ' \n<think>\r\n\nA < B\n\nso\n</think>\n\nYes 🙂',
    expected: { reasoning: 'A < B\n\nso', content: 'Yes 🙂' },
  },
  { name: 'an empty think block', text: '<think>\n\n</think>\n\nYes', expected: { content: 'Yes' } },
  {
    name: 'an open prompt',
    text: 'A\n</think>\n\nYes',
    setup: { startsInReasoning: true },
    expected: { reasoning: 'A', content: 'Yes' },
  },
  {
    name: 'an open prompt whose tag is repeated',
    text: '\n<think>\nA</think>Yes',
    setup: { startsInReasoning: true },
    expected: { reasoning: 'A', content: 'Yes' },
  },
  {
    name: 'reasoning cut by length',
    text: '<think>\nA </thi',
    setup: { cause: 'length' },
    expected: { reasoning: 'A </thi', reason: 'length' },
  },
  { name: 'reasoning that just ends', text: '<think>\nA\n', expected: { reasoning: 'A\n', reason: 'length' } },
  { name: 'a think tag later on', text: 'A <think>b</think> c', expected: { content: 'A <think>b</think> c' } },
  { name: 'think tags in JSON', text: '{"a": "</think><think>b"}', expected: { content: '{"a": "</think><think>b"}' } },
  {
    name: 'a second block',
    text: '<think>a</think>b<think>c</think>',
    expected: { reasoning: 'a', content: 'b<think>c</think>' },
  },
  ...['<think>a</think>b', ' \n<think>', '</think>\n\nb', '<think>\n\n</think>\n\nb'].map((text) => ({
    name: `of a model that does not reason: ${text}`,
    text,
    setup: { format: formats.plain },
    expected: { content: text },
  })),
  {
    name: 'a call in tags of a model that does not reason',
    text: `<think> ${sun}</think>`,
    setup: { format: formats.plain },
    expected: { content: '<think></think>', calls: [sunCall], reason: 'tool_calls' },
  },
  { name: 'a closing tag alone', text: '</think>\n\nYes', expected: { content: 'Yes' } },
  {
    name: 'tags that are none',
    text: 'a <b> <thin k> </tool_call> <tool_cal',
    expected: { content: 'a <b> <thin k> </tool_call> <tool_cal' },
  },
  { name: 'one call', text: sun, expected: { calls: [sunCall], reason: 'tool_calls' } },
  {
    name: 'text, calls and blanks between them',
    text: `<think>\nx\n</think>\n\nLet me see.\n\n${sun}\n \n${sun}\n`,
    expected: { reasoning: 'x', content: 'Let me see.', calls: [sunCall, sunCall], reason: 'tool_calls' },
  },
  {
    name: 'text behind a call',
    text: `${sun}\n\nDone.`,
    expected: { content: '\n\nDone.', calls: [sunCall], reason: 'tool_calls' },
  },
  { name: 'a call inside reasoning', text: `<think>${sun}</think>ok`, expected: { reasoning: sun, content: 'ok' } },
  { name: 'a call without tools', text: sun, setup: { tools: [] }, expected: { content: sun } },
  {
    name: 'no arguments, arguments as text, exact numbers, and keys in their order',
    text: '<tool_call>{"name":"clock"}</tool_call><tool_call>{"name":"clock","arguments":"{\\"a\\": 1}"}</tool_call><tool_call>{"name":"clock","arguments":{"a":12345678901234567890,"b":1.0,"c":1e2}}</tool_call><tool_call>{"name":"clock","arguments":{"why":"","10":2,"2":3}}</tool_call>',
    expected: {
      calls: [
        { name: 'clock', arguments: '{}' },
        { name: 'clock', arguments: '{"a":1}' },
        { name: 'clock', arguments: '{"a":12345678901234567890,"b":1.0,"c":1e2}' },
        { name: 'clock', arguments: '{"why":"","10":2,"2":3}' },
      ],
      reason: 'tool_calls',
    },
  },
  {
    name: 'tags inside an argument',
    text: '<tool_call>{"name":"clock","arguments":{"a":"</tool_call> \\" <tool_call> </think>"}}</tool_call>',
    expected: {
      calls: [{ name: 'clock', arguments: '{"a":"</tool_call> \\" <tool_call> </think>"}' }],
      reason: 'tool_calls',
    },
  },
  ...[
    '{"name": "nobody", "arguments": {}}',
    '{"name": "clock", ',
    '[1]',
    'null',
    '',
    '{"name": "clock", "arguments": [1]}',
    '{"name": "clock", "arguments": "x"}',
  ].map((inside) => ({
    name: `no call: ${inside}`,
    text: `a \n<tool_call>${inside}</tool_call> b`,
    expected: { content: `a \n<tool_call>${inside}</tool_call> b` },
  })),
  {
    name: 'think tags inside what is no call',
    text: '<tool_call><think>a</think></tool_call>',
    expected: { content: '<tool_call><think>a</think></tool_call>' },
  },
  {
    name: 'a broken call does not hide the next one',
    text: `<tool_call>\n{"name": "clock, {}}\n</tool_call>\n${sun}`,
    expected: { content: '<tool_call>\n{"name": "clock, {}}\n</tool_call>', calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a call cut by length',
    text: 'Hm.\n<tool_call>\n{"name": "clock"}\n</tool_',
    setup: { cause: 'length' },
    expected: { content: 'Hm.\n<tool_call>\n{"name": "clock"}\n</tool_', reason: 'length' },
  },
  ...['<tool_', '<tool_call>', '<tool_call>\n{"name": "cl', '<tool_call>\n{"name": "clock"}\n</tool_'].map((cut) => ({
    name: `behind a whole call one cut by length: ${cut}`,
    text: `Hm.\n${sun}\n${cut}`,
    setup: { cause: 'length' as const },
    expected: { content: 'Hm.', calls: [sunCall], reason: 'tool_calls' },
  })),
  {
    name: 'text behind a call, cut by length',
    text: `${sun}\nDone <b`,
    setup: { cause: 'length' },
    expected: { content: '\nDone <b', calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a whole call without its closing tag',
    text: sun.slice(0, -13),
    expected: { calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'one call only',
    text: `${sun}\n${sun}`,
    setup: { parallelToolCalls: false },
    expected: { calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a stop string',
    text: 'one two END three',
    setup: { stop: ['END', 'four'] },
    expected: { content: 'one two ', stopText: 'END' },
  },
  {
    name: 'a stop string at the end',
    text: 'one\n',
    setup: { stop: ['\n'] },
    expected: { content: 'one', stopText: '\n' },
  },
  { name: 'half a stop string', text: 'aabaabaa', setup: { stop: ['aabaaa'] }, expected: { content: 'aabaabaa' } },
  {
    name: 'a stop string that overlaps itself',
    text: 'xaabaabaac',
    setup: { stop: ['aabaac'] },
    expected: { content: 'xaab', stopText: 'aabaac' },
  },
  {
    name: 'the first stop string to end',
    text: 'abcd',
    setup: { stop: ['abcd', 'bc'] },
    expected: { content: 'a', stopText: 'bc' },
  },
  {
    name: 'a stop string behind a call',
    text: `${sun}\n\nSo END`,
    setup: { stop: ['END'] },
    expected: { content: '\n\nSo ', calls: [sunCall], reason: 'tool_calls', stopText: 'END' },
  },
  {
    name: 'a stop string that the end of the output completes',
    text: 'a <tool_',
    setup: { stop: ['<tool_'], cause: 'length' },
    expected: { content: 'a ', stopText: '<tool_' },
  },
  {
    name: 'a stop string inside reasoning',
    text: '<think>END</think>a END b',
    setup: { stop: ['END'] },
    expected: { reasoning: 'END', content: 'a ', stopText: 'END' },
  },
  {
    name: 'a stop string inside a call',
    text: sun,
    setup: { stop: ['Paris'] },
    expected: { calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a stop string inside what is no call',
    text: '<tool_call>{"name":"x"}</tool_call> y',
    setup: { stop: ['"x"'] },
    expected: { content: '<tool_call>{"name":', stopText: '"x"' },
  },
  {
    name: 'a stop string half in front of a call',
    text: `EN${sun}`,
    setup: { stop: ['END'] },
    expected: { content: 'EN', calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a stop string of characters outside the basic plane',
    text: 'a🙂🙃b',
    setup: { stop: ['🙃'] },
    expected: { content: 'a🙂', stopText: '🙃' },
  },
  {
    name: 'calls as XML',
    text: '<tool_call>\n<function=get_weather>\n<parameter=city>\n7\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=tags>\n["a", null]\n</parameter>\n</function>\n</tool_call><tool_call><function=clock></function></tool_call>',
    setup: { format: formats.xml },
    expected: {
      calls: [
        { name: 'get_weather', arguments: '{"city":"7","days":3,"tags":["a",null]}' },
        { name: 'clock', arguments: '{}' },
      ],
      reason: 'tool_calls',
    },
  },
  {
    name: 'XML that is no call',
    text: '<tool_call><function=get_weather><parameter=city>x</function></tool_call>',
    setup: { format: formats.xml },
    expected: { content: '<tool_call><function=get_weather><parameter=city>x</function></tool_call>' },
  },
];
