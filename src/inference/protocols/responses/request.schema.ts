import Type, { type Static } from 'typebox';
import { expecting } from '#http';
import { samplingFields } from '../openai/sampling.contract.ts';
import { calledModel, notSupported, optional } from '../shared/call.contract.ts';
import { inputItem } from './input-items.schema.ts';
import { toolChoice, tools } from './tools.schema.ts';

/** From none to most. The engine knows three of them. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const repeated = (description: string) => optional(Type.String({ description }));

const format = Type.Union(
  [
    Type.Object({
      type: Type.Literal('text', {
        description: 'Any text.',
        ...expecting('expected "text", "json_object" or "json_schema"'),
      }),
    }),
    Type.Object({ type: Type.Literal('json_object', { description: 'A JSON object.' }) }),
    Type.Object({
      type: Type.Literal('json_schema', { description: 'JSON that fits a schema.' }),
      name: repeated('A name, which the response repeats.'),
      description: repeated('As the name.'),
      schema: optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'The schema; left out, any JSON object fits.',
          ...expecting('expected a JSON schema object'),
        }),
      ),
      strict: Type.Optional(Type.Unknown({ description: 'The schema always holds.' })),
    }),
  ],
  { description: 'Form of the answer; the model cannot leave it.' },
);

const text = Type.Object(
  { format: optional(format), verbosity: repeated('Ignored, and repeated.') },
  { description: 'The text of the answer.' },
);

const reasoning = Type.Object(
  {
    effort: optional(
      Type.Enum(efforts, {
        description:
          "`none` turns reasoning off, `minimal` and `low` keep it short, the others do not; left out, the model's own default applies. Models without control of their reasoning ignore it.",
      }),
    ),
    summary: repeated(
      'Anything but `none`: the reasoning comes as `summary`, which many clients show, and not as `content`. It is not shortened.',
    ),
    generate_summary: repeated('The former name of `summary`.'),
  },
  { description: 'Reasoning of the model.' },
);

/** What decides over the prompt, also where its tokens are only counted. */
const promptFields = {
  model: calledModel,
  input: optional(
    Type.Union([Type.String(), Type.Array(inputItem)], {
      description:
        'Text of the user, or items: messages, calls and their outputs, reasoning. Needed unless `previous_response_id` is given.',
      ...expecting('expected text or a list of items'),
    }),
  ),
  instructions: optional(
    Type.String({
      description: 'The first system message. It counts for this call only: the next one in a chain sends its own.',
    }),
  ),
  previous_response_id: optional(
    Type.String({
      description:
        'A stored response that this one follows: its input and output, and those of the ones before it, stand in front of `input`.',
    }),
  ),
  tools: optional(tools),
  tool_choice: optional(toolChoice),
  parallel_tool_calls: optional(Type.Boolean({ description: 'False: stop after the first call.', default: true })),
  text: optional(text),
  reasoning: optional(reasoning),
  prompt: notSupported('prompts are not stored here; send instructions and input'),
  conversation: notSupported('conversations are not stored here; use previous_response_id'),
};

export const countRequestSchema = Type.Object(promptFields, { $id: 'InputTokensRequest' });

/** The body of P/responses, as `readResponsesRequest` reads it. */
export const responsesRequestSchema = Type.Object(
  {
    ...promptFields,
    max_output_tokens: optional(
      Type.Integer({
        description: 'Most tokens of the answer, reasoning included; left out, the rest of the context.',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
      }),
    ),
    temperature: samplingFields.temperature,
    top_p: samplingFields.top_p,
    truncation: optional(
      Type.Enum(['auto', 'disabled'], {
        description:
          '`auto`: the oldest turns of a conversation that is too long are left out, never the instructions. `disabled`: it is refused.',
        default: 'disabled',
      }),
    ),
    stream: optional(
      Type.Boolean({
        description: 'Answer with server-sent events as the text is made.',
        default: false,
      }),
    ),
    store: optional(
      Type.Boolean({
        description: 'Keep the response, so that others can follow it and it can be read again.',
        default: true,
      }),
    ),
    include: optional(
      Type.Array(Type.String(), {
        description:
          '`reasoning.encrypted_content`: reasoning comes with a text that only this installation reads, to be sent back. Others are ignored.',
      }),
    ),
    metadata: optional(
      Type.Record(
        Type.String(),
        Type.String({ maxLength: 512, ...expecting('expected text of at most 512 characters') }),
        {
          description: 'Up to 16 texts that the response repeats.',
          ...expecting('expected an object with at most 16 texts'),
          maxProperties: 16,
        },
      ),
    ),
    background: notSupported('answers are not made in the background here; use stream', false),
    top_logprobs: notSupported('not supported', 0),
    max_tool_calls: optional(Type.Integer({ description: 'Counts for hosted tools, of which there are none.' })),
    service_tier: repeated('Ignored.'),
    prompt_cache_key: repeated('Ignored, and repeated.'),
    safety_identifier: repeated('Ignored, and repeated.'),
    user: repeated('Ignored, and repeated.'),
  },
  { $id: 'ResponsesRequest' },
);

export type ResponsesBody = Static<typeof responsesRequestSchema>;
export type InputTokensBody = Static<typeof countRequestSchema>;
