import { derivedCalls } from './derived-calls.ts';
import { bindOutputFormat, type OutputFormatSpec, standardFormat } from './output-format.ts';

const xml: OutputFormatSpec = {
  ...standardFormat,
  calls: {
    name: derivedCalls.name,
    layout: {
      open: '',
      close: '',
      between: '\n',
      head: ['<tool_call>\n<function='],
      middle: ['>\n'],
      tail: ['\n</function>\n</tool_call>'],
      arguments: {
        kind: 'tagged',
        open: '<parameter=',
        text: '>\n',
        other: '>\n',
        close: '\n</parameter>',
        separator: '\n',
      },
      json: null,
    },
  },
};

/** Formats of Hermes and Qwen3 models, of Qwen3-Coder, and of a model that does not reason. */
export const formats = {
  json: bindOutputFormat(standardFormat),
  xml: bindOutputFormat(xml),
  plain: bindOutputFormat({ ...standardFormat, reasoning: null }),
};
