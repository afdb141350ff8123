import Type from 'typebox';
import { nullable, said } from '#http';

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

const textBlock = Type.Object({
  type: Type.Literal('text', said('Text.', '文本。')),
  text: Type.String(said('The text.', '文本内容。')),
});

const thinkingBlock = Type.Object({
  type: Type.Literal('thinking', said('Thoughts.', '推理。')),
  thinking: Type.String(
    said('What the model thought; empty where that is not shown.', '模型的推理内容；不显示时为空。'),
  ),
  signature: Type.String(
    said('Send it back as it is, so that the model can go on from its thoughts.', '请原样传回，以便模型延续其推理。'),
  ),
});

const toolUseBlock = Type.Object({
  type: Type.Literal('tool_use', said('A call of a tool.', '工具调用。')),
  id: Type.String(said('Id of the call.', '调用的 ID。')),
  name: Type.String(said('Name of the tool.', '工具名称。')),
  input: Type.Unknown(said('The arguments.', '调用参数。')),
});

const block = Type.Union([textBlock, thinkingBlock, toolUseBlock], said('A block of the answer.', '回答的内容块。'));

const usageSchema = Type.Object(
  {
    input_tokens: count(
      'Tokens of the prompt that the model had to read.',
      '模型实际读取的提示词词元数（不含命中缓存的部分）。',
    ),
    cache_creation_input_tokens: count('Always 0: caching costs nothing more.', '始终为 0：缓存不另收费。'),
    cache_read_input_tokens: count(
      'Further tokens of the prompt, which the model still knew from an earlier call of the account.',
      '提示词中命中账户先前调用缓存的其余词元数。',
    ),
    output_tokens: count('Tokens that the model generated, thoughts included.', '模型生成的词元数，含推理部分。'),
    output_tokens_details: Type.Object(
      { thinking_tokens: count('Tokens of thoughts among them.', '其中属于推理的词元数。') },
      said('What the tokens were for.', '词元用途。'),
    ),
  },
  {
    $id: 'MessageUsage',
    ...said('Token counts. What the model does not report is 0.', '词元计数。模型未报告的计数为 0。'),
  },
);

const stopReason = nullable(
  Type.Enum(
    ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'model_context_window_exceeded'],
    said('Why the answer ended.', '回答结束的原因。'),
  ),
  said('Null while it goes on.', '未结束时为 null。'),
);
const stopSequence = nullable(
  Type.String(said('The text that ended it.', '触发结束的文本。')),
  said('Null where none did.', '并非由停止文本结束时为 null。'),
);

export const messageAnswerSchema = Type.Object(
  {
    id: Type.String({ ...said('Id of the answer.', '回答的 ID。'), pattern: '^msg_' }),
    type: Type.Literal('message', said('Kind of object.', '对象类型。')),
    role: Type.Literal('assistant', said('The model.', '模型。')),
    model: Type.String(said('The model as it was called.', '所调用的模型名。')),
    content: Type.Array(
      block,
      said('Blocks, in the order in which the model wrote them.', '按模型书写顺序排列的内容块。'),
    ),
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage: usageSchema,
  },
  { $id: 'Message' },
);

const index = Type.Integer(said('Which block it is.', '内容块的序号。'));
const kind = <Name extends string>(name: Name, english: string, chinese: string) =>
  Type.Literal(name, said(english, chinese));

/** The JSON of one event, but for errors. */
export const messageEventSchema = Type.Union(
  [
    Type.Object({ type: kind('message_start', 'The answer begins.', '回答开始。'), message: messageAnswerSchema }),
    Type.Object({ type: kind('ping', 'Keeps the connection alive.', '保持连接。') }),
    Type.Object({ type: kind('content_block_start', 'A block begins.', '内容块开始。'), index, content_block: block }),
    Type.Object({
      type: kind('content_block_delta', 'More of a block.', '内容块的后续内容。'),
      index,
      delta: Type.Union(
        [
          Type.Object({
            type: kind('text_delta', 'Text.', '文本。'),
            text: Type.String(said('Further text.', '后续文本。')),
          }),
          Type.Object({
            type: kind('thinking_delta', 'Thoughts.', '推理。'),
            thinking: Type.String(said('Further thoughts.', '后续推理内容。')),
          }),
          Type.Object({
            type: kind('signature_delta', 'The end of thoughts.', '推理结束。'),
            signature: Type.String(said('Their signature.', '推理的签名。')),
          }),
          Type.Object({
            type: kind('input_json_delta', 'Arguments.', '参数。'),
            partial_json: Type.String(said('Further arguments, as JSON text.', '后续参数，JSON 文本。')),
          }),
        ],
        said('What is new.', '新增内容。'),
      ),
    }),
    Type.Object({ type: kind('content_block_stop', 'A block is complete.', '内容块结束。'), index }),
    Type.Object({
      type: kind('message_delta', 'The answer is complete.', '回答完成。'),
      delta: Type.Object({ stop_reason: stopReason, stop_sequence: stopSequence }, said('Why it ended.', '结束原因。')),
      usage: usageSchema,
    }),
    Type.Object({ type: kind('message_stop', 'The last event.', '最后一个事件。') }),
  ],
  { $id: 'MessageEvent' },
);
