import Type, { type TSchema } from 'typebox';
import { nullable, said } from '#http';
import { answeredModel, created } from '../openai/usage.schema.ts';
import { outputItemSchema, outputTextSchema } from './output-items.schema.ts';

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });
const orNull = <Value extends TSchema>(value: Value, english: string, chinese: string) =>
  nullable(value, said(english, chinese));
const asSent = (english: string, chinese: string) => Type.Unknown(said(english, chinese));
const id = Type.String({ ...said('Id of the response.', '回答的 ID。'), pattern: '^resp_' });

const usage = Type.Object(
  {
    input_tokens: count('Tokens of the prompt.', '提示词的词元数。'),
    input_tokens_details: Type.Object(
      {
        cached_tokens: count(
          'Those that the model still knew from an earlier call of the account.',
          '命中账户先前调用缓存的词元数。',
        ),
        cache_write_tokens: count('Always 0.', '始终为 0。'),
      },
      said('Among them.', '其中。'),
    ),
    output_tokens: count('Tokens that the model generated, reasoning included.', '模型生成的词元数，含推理部分。'),
    output_tokens_details: Type.Object(
      { reasoning_tokens: count('Those of reasoning.', '推理部分的词元数。') },
      said('Among them.', '其中。'),
    ),
    total_tokens: count('Both together.', '以上两者之和。'),
  },
  said('Token counts. What the model does not report is 0.', '词元计数。模型未报告的计数为 0。'),
);

const error = Type.Object(
  {
    code: Type.String(said('What went wrong, for programs.', '供程序判断的错误代码。')),
    message: Type.String(said('What went wrong, for people.', '供人阅读的错误说明。')),
  },
  said('What went wrong.', '错误。'),
);

export const responseSchema = Type.Object(
  {
    id,
    object: Type.Literal('response', said('Kind of object.', '对象类型。')),
    created_at: created,
    status: Type.Enum(
      ['in_progress', 'completed', 'incomplete', 'failed'],
      said(
        '`incomplete`: `max_output_tokens` or the context is used up. `in_progress` and `failed` are seen in streams only.',
        '`incomplete`：达到 `max_output_tokens` 或上下文已用完。`in_progress` 和 `failed` 只出现在流中。',
      ),
    ),
    error: orNull(error, 'Why it failed.', '失败原因。'),
    incomplete_details: orNull(
      Type.Object({ reason: Type.String(said('Always `max_output_tokens`.', '始终为 `max_output_tokens`。')) }),
      'Why it is incomplete.',
      '未完成的原因。',
    ),
    model: answeredModel,
    output: Type.Array(
      outputItemSchema,
      said('The answer, in the order in which the model wrote it.', '按模型书写顺序排列的回答。'),
    ),
    usage: orNull(usage, 'Null until the answer has ended.', '回答结束前为 null。'),
    store: Type.Boolean(said('Whether it is kept.', '是否被保存。')),
    background: Type.Boolean(said('Always false.', '始终为 false。')),
    instructions: orNull(Type.String(), 'As sent.', '同请求。'),
    max_output_tokens: orNull(Type.Integer(), 'As sent.', '同请求。'),
    max_tool_calls: orNull(Type.Integer(), 'As sent.', '同请求。'),
    metadata: Type.Record(Type.String(), Type.String(), said('As sent.', '同请求。')),
    parallel_tool_calls: Type.Boolean(said('As sent.', '同请求。')),
    previous_response_id: orNull(Type.String(), 'As sent.', '同请求。'),
    prompt_cache_key: orNull(Type.String(), 'As sent.', '同请求。'),
    reasoning: asSent('As sent.', '同请求。'),
    safety_identifier: orNull(Type.String(), 'As sent.', '同请求。'),
    service_tier: Type.String(said('Always `default`.', '始终为 `default`。')),
    temperature: Type.Number(said('What was used.', '实际采用的值。')),
    text: asSent('As sent.', '同请求。'),
    tool_choice: asSent('What was used.', '实际采用的值。'),
    tools: Type.Array(
      Type.Unknown(),
      said('The tools that were used: without hosted ones.', '实际采用的工具，不含托管工具。'),
    ),
    top_logprobs: Type.Integer(said('Always 0.', '始终为 0。')),
    top_p: Type.Number(said('What was used.', '实际采用的值。')),
    truncation: Type.String(said('What was used.', '实际采用的值。')),
    user: orNull(Type.String(), 'As sent.', '同请求。'),
  },
  { $id: 'Response' },
);

/** The JSON of one `data:` line. */
export const responseEventSchema = Type.Object(
  {
    type: Type.String(
      said(
        'Kind of event. The last one is `response.completed`, `response.incomplete` or `response.failed`; before the latter comes `error`.',
        '事件类型。最后一个事件是 `response.completed`、`response.incomplete` 或 `response.failed`；后者之前有 `error`。',
      ),
    ),
    sequence_number: count('Number of the event, from 0 on.', '事件序号，从 0 起。'),
    response: Type.Optional(responseSchema),
    output_index: Type.Optional(count('Place of the item in `output`.', '条目在 `output` 中的位置。')),
    item: Type.Optional(outputItemSchema),
    item_id: Type.Optional(Type.String(said('Id of the item.', '条目的 ID。'))),
    content_index: Type.Optional(Type.Integer(said('Always 0.', '始终为 0。'))),
    summary_index: Type.Optional(Type.Integer(said('Always 0.', '始终为 0。'))),
    part: Type.Optional(
      Type.Union(
        [
          outputTextSchema,
          Type.Object({
            type: Type.Enum(['reasoning_text', 'summary_text'], said('Text.', '文本。')),
            text: Type.String(said('The text.', '文本内容。')),
          }),
        ],
        said('Part of an item.', '条目的组成部分。'),
      ),
    ),
    delta: Type.Optional(Type.String(said('More text.', '新增文本。'))),
    text: Type.Optional(Type.String(said('The whole text.', '完整文本。'))),
    arguments: Type.Optional(Type.String(said('Whole arguments.', '完整参数。'))),
    name: Type.Optional(Type.String(said('Name of the function.', '函数名。'))),
    input: Type.Optional(Type.String(said('Whole input of a custom tool.', '自定义工具的完整输入。'))),
    logprobs: Type.Optional(Type.Array(Type.Unknown(), said('Always empty.', '始终为空。'))),
    code: Type.Optional(Type.String(said('Of an `error`.', '`error` 事件的代码。'))),
    message: Type.Optional(Type.String(said('Of an `error`.', '`error` 事件的说明。'))),
    param: Type.Optional(orNull(Type.String(), 'Of an `error`.', '`error` 事件的字段。')),
    error: Type.Optional(Type.Unknown(said('The same together.', '同上，合为一个对象。'))),
  },
  { $id: 'ResponseStreamEvent' },
);
