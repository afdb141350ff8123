import Type from 'typebox';
import { nullable } from '#http';

const count = (description: string) => Type.Integer({ description, minimum: 0 });

const textBlock = Type.Object({
  type: Type.Literal('text', { description: 'Text.' }),
  text: Type.String({ description: 'The text.' }),
});

const thinkingBlock = Type.Object({
  type: Type.Literal('thinking', { description: 'Thoughts.' }),
  thinking: Type.String({ description: 'What the model thought; empty where that is not shown.' }),
  signature: Type.String({ description: 'Send it back as it is, so that the model can go on from its thoughts.' }),
});

const toolUseBlock = Type.Object({
  type: Type.Literal('tool_use', { description: 'A call of a tool.' }),
  id: Type.String({ description: 'Id of the call.' }),
  name: Type.String({ description: 'Name of the tool.' }),
  input: Type.Unknown({ description: 'The arguments.' }),
});

const block = Type.Union([textBlock, thinkingBlock, toolUseBlock], { description: 'A block of the answer.' });

const usageSchema = Type.Object(
  {
    input_tokens: count('Tokens of the prompt that the model had to read.'),
    cache_creation_input_tokens: count('Always 0: caching costs nothing more.'),
    cache_read_input_tokens: count(
      'Further tokens of the prompt, which the model still knew from an earlier call of the account.',
    ),
    output_tokens: count('Tokens that the model generated, thoughts included.'),
    output_tokens_details: Type.Object(
      { thinking_tokens: count('Tokens of thoughts among them.') },
      { description: 'What the tokens were for.' },
    ),
  },
  {
    $id: 'MessageUsage',
    description: 'Token counts. What the model does not report is 0.',
  },
);

const stopReason = nullable(
  Type.Enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'model_context_window_exceeded'], {
    description: 'Why the answer ended.',
  }),
  'Null while it goes on.',
);
const stopSequence = nullable(Type.String({ description: 'The text that ended it.' }), 'Null where none did.');

export const messageAnswerSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the answer.', pattern: '^msg_' }),
    type: Type.Literal('message', { description: 'Kind of object.' }),
    role: Type.Literal('assistant', { description: 'The model.' }),
    model: Type.String({ description: 'The model as it was called.' }),
    content: Type.Array(block, { description: 'Blocks, in the order in which the model wrote them.' }),
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage: usageSchema,
  },
  { $id: 'Message' },
);

const index = Type.Integer({ description: 'Which block it is.' });
const kind = <Name extends string>(name: Name, description: string) => Type.Literal(name, { description });

/** The JSON of one event, but for errors. */
export const messageEventSchema = Type.Union(
  [
    Type.Object({ type: kind('message_start', 'The answer begins.'), message: messageAnswerSchema }),
    Type.Object({ type: kind('ping', 'Keeps the connection alive.') }),
    Type.Object({ type: kind('content_block_start', 'A block begins.'), index, content_block: block }),
    Type.Object({
      type: kind('content_block_delta', 'More of a block.'),
      index,
      delta: Type.Union(
        [
          Type.Object({
            type: kind('text_delta', 'Text.'),
            text: Type.String({ description: 'Further text.' }),
          }),
          Type.Object({
            type: kind('thinking_delta', 'Thoughts.'),
            thinking: Type.String({ description: 'Further thoughts.' }),
          }),
          Type.Object({
            type: kind('signature_delta', 'The end of thoughts.'),
            signature: Type.String({ description: 'Their signature.' }),
          }),
          Type.Object({
            type: kind('input_json_delta', 'Arguments.'),
            partial_json: Type.String({ description: 'Further arguments, as JSON text.' }),
          }),
        ],
        { description: 'What is new.' },
      ),
    }),
    Type.Object({ type: kind('content_block_stop', 'A block is complete.'), index }),
    Type.Object({
      type: kind('message_delta', 'The answer is complete.'),
      delta: Type.Object({ stop_reason: stopReason, stop_sequence: stopSequence }, { description: 'Why it ended.' }),
      usage: usageSchema,
    }),
    Type.Object({ type: kind('message_stop', 'The last event.') }),
  ],
  { $id: 'MessageEvent' },
);
