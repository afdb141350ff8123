import Type, { type TSchema } from 'typebox';
import { nullable } from '#http';
import { answeredModel, created } from '../openai/usage.schema.ts';
import { outputItemSchema, outputTextSchema } from './output-items.schema.ts';

const count = (description: string) => Type.Integer({ description, minimum: 0 });
const orNull = <Value extends TSchema>(value: Value, description: string) => nullable(value, description);
const asSent = (description: string) => Type.Unknown({ description });
const id = Type.String({ description: 'Id of the response.', pattern: '^resp_' });

const usage = Type.Object(
  {
    input_tokens: count('Tokens of the prompt.'),
    input_tokens_details: Type.Object(
      {
        cached_tokens: count('Those that the model still knew from an earlier call of the account.'),
        cache_write_tokens: count('Always 0.'),
      },
      { description: 'Among them.' },
    ),
    output_tokens: count('Tokens that the model generated, reasoning included.'),
    output_tokens_details: Type.Object(
      { reasoning_tokens: count('Those of reasoning.') },
      { description: 'Among them.' },
    ),
    total_tokens: count('Both together.'),
  },
  { description: 'Token counts. What the model does not report is 0.' },
);

const error = Type.Object(
  {
    code: Type.String({ description: 'What went wrong, for programs.' }),
    message: Type.String({ description: 'What went wrong, for people.' }),
  },
  { description: 'What went wrong.' },
);

export const responseSchema = Type.Object(
  {
    id,
    object: Type.Literal('response', { description: 'Kind of object.' }),
    created_at: created,
    status: Type.Enum(['in_progress', 'completed', 'incomplete', 'failed'], {
      description:
        '`incomplete`: `max_output_tokens` or the context is used up. `in_progress` and `failed` are seen in streams only.',
    }),
    error: orNull(error, 'Why it failed.'),
    incomplete_details: orNull(
      Type.Object({ reason: Type.String({ description: 'Always `max_output_tokens`.' }) }),
      'Why it is incomplete.',
    ),
    model: answeredModel,
    output: Type.Array(outputItemSchema, { description: 'The answer, in the order in which the model wrote it.' }),
    usage: orNull(usage, 'Null until the answer has ended.'),
    store: Type.Boolean({ description: 'Whether it is kept.' }),
    background: Type.Boolean({ description: 'Always false.' }),
    instructions: orNull(Type.String(), 'As sent.'),
    max_output_tokens: orNull(Type.Integer(), 'As sent.'),
    max_tool_calls: orNull(Type.Integer(), 'As sent.'),
    metadata: Type.Record(Type.String(), Type.String(), { description: 'As sent.' }),
    parallel_tool_calls: Type.Boolean({ description: 'As sent.' }),
    previous_response_id: orNull(Type.String(), 'As sent.'),
    prompt_cache_key: orNull(Type.String(), 'As sent.'),
    reasoning: asSent('As sent.'),
    safety_identifier: orNull(Type.String(), 'As sent.'),
    service_tier: Type.String({ description: 'Always `default`.' }),
    temperature: Type.Number({ description: 'What was used.' }),
    text: asSent('As sent.'),
    tool_choice: asSent('What was used.'),
    tools: Type.Array(Type.Unknown(), { description: 'The tools that were used: without hosted ones.' }),
    top_logprobs: Type.Integer({ description: 'Always 0.' }),
    top_p: Type.Number({ description: 'What was used.' }),
    truncation: Type.String({ description: 'What was used.' }),
    user: orNull(Type.String(), 'As sent.'),
  },
  { $id: 'Response' },
);

/** The JSON of one `data:` line. */
export const responseEventSchema = Type.Object(
  {
    type: Type.String({
      description:
        'Kind of event. The last one is `response.completed`, `response.incomplete` or `response.failed`; before the latter comes `error`.',
    }),
    sequence_number: count('Number of the event, from 0 on.'),
    response: Type.Optional(responseSchema),
    output_index: Type.Optional(count('Place of the item in `output`.')),
    item: Type.Optional(outputItemSchema),
    item_id: Type.Optional(Type.String({ description: 'Id of the item.' })),
    content_index: Type.Optional(Type.Integer({ description: 'Always 0.' })),
    summary_index: Type.Optional(Type.Integer({ description: 'Always 0.' })),
    part: Type.Optional(
      Type.Union(
        [
          outputTextSchema,
          Type.Object({
            type: Type.Enum(['reasoning_text', 'summary_text'], { description: 'Text.' }),
            text: Type.String({ description: 'The text.' }),
          }),
        ],
        { description: 'Part of an item.' },
      ),
    ),
    delta: Type.Optional(Type.String({ description: 'More text.' })),
    text: Type.Optional(Type.String({ description: 'The whole text.' })),
    arguments: Type.Optional(Type.String({ description: 'Whole arguments.' })),
    name: Type.Optional(Type.String({ description: 'Name of the function.' })),
    input: Type.Optional(Type.String({ description: 'Whole input of a custom tool.' })),
    logprobs: Type.Optional(Type.Array(Type.Unknown(), { description: 'Always empty.' })),
    code: Type.Optional(Type.String({ description: 'Code of an `error`.' })),
    message: Type.Optional(Type.String({ description: 'Message of an `error`.' })),
    param: Type.Optional(orNull(Type.String(), 'Field of an `error`.')),
    error: Type.Optional(Type.Unknown({ description: 'The same together.' })),
  },
  { $id: 'ResponseStreamEvent' },
);
