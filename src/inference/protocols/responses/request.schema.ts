import Type, { type Static } from 'typebox';
import { expecting, said } from '#http';
import { calledModel, notSupported, optional, samplingFields } from '../openai/sampling.contract.ts';
import { inputItem } from './input-items.schema.ts';
import { toolChoice, tools } from './tools.schema.ts';

/** From none to most. The engine knows three of them. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const repeated = (english: string, chinese: string) => optional(Type.String(said(english, chinese)));

const format = Type.Union(
  [
    Type.Object({
      type: Type.Literal('text', {
        ...said('Any text.', '任意文本。'),
        ...expecting('expected "text", "json_object" or "json_schema"'),
      }),
    }),
    Type.Object({ type: Type.Literal('json_object', said('A JSON object.', 'JSON 对象。')) }),
    Type.Object({
      type: Type.Literal('json_schema', said('JSON that fits a schema.', '符合给定 Schema 的 JSON。')),
      name: repeated('A name, which the response repeats.', '名称，会在回答中重复。'),
      description: repeated('As the name.', '同名称。'),
      schema: optional(
        Type.Record(Type.String(), Type.Unknown(), {
          ...said('The schema; left out, any JSON object fits.', 'Schema；省略时接受任意 JSON 对象。'),
          ...expecting('expected a JSON schema object'),
        }),
      ),
      strict: Type.Optional(Type.Unknown(said('The schema always holds.', 'Schema 始终强制。'))),
    }),
  ],
  said('Form of the answer; the model cannot leave it.', '回答的格式；由语法约束强制保证。'),
);

const text = Type.Object(
  { format: optional(format), verbosity: repeated('Ignored, and repeated.', '忽略，仅在回答中重复。') },
  said('The text of the answer.', '回答的文本。'),
);

const reasoning = Type.Object(
  {
    effort: optional(
      Type.Enum(
        efforts,
        said(
          "`none` turns reasoning off, `minimal` and `low` keep it short, the others do not; left out, the model's own default applies. Models without control of their reasoning ignore it.",
          '`none` 关闭推理，`minimal` 和 `low` 使推理简短，其余不缩短；省略时采用模型自身的默认行为。不支持控制推理的模型会忽略它。',
        ),
      ),
    ),
    summary: repeated(
      'Anything but `none`: the reasoning comes as `summary`, which many clients show, and not as `content`. It is not shortened.',
      '除 `none` 外的任意值：推理以许多客户端会显示的 `summary` 返回，而不是 `content`。内容不会缩短。',
    ),
    generate_summary: repeated('The former name of `summary`.', '`summary` 的旧名称。'),
  },
  said('Reasoning of the model.', '模型的推理。'),
);

/** What decides over the prompt, also where its tokens are only counted. */
const promptFields = {
  model: calledModel,
  input: optional(
    Type.Union([Type.String(), Type.Array(inputItem)], {
      ...said(
        'Text of the user, or items: messages, calls and their outputs, reasoning. Needed unless `previous_response_id` is given.',
        '用户的文本，或条目列表：消息、调用及其输出、推理。未给出 `previous_response_id` 时必填。',
      ),
      ...expecting('expected text or a list of items'),
    }),
  ),
  instructions: optional(
    Type.String(
      said(
        'The first system message. It counts for this call only: the next one in a chain sends its own.',
        '首条系统消息。仅对本次调用有效；后续调用需自行发送。',
      ),
    ),
  ),
  previous_response_id: optional(
    Type.String(
      said(
        'A stored response that this one follows: its input and output, and those of the ones before it, stand in front of `input`.',
        '本次所接续的已存储回答：其输入和输出，以及更早回答的内容，会放在 `input` 之前。',
      ),
    ),
  ),
  tools: optional(tools),
  tool_choice: optional(toolChoice),
  parallel_tool_calls: optional(
    Type.Boolean({ ...said('False: stop after the first call.', '为 false 时在首个调用后停止。'), default: true }),
  ),
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
        ...said(
          'Most tokens of the answer, reasoning included; left out, the rest of the context.',
          '回答的最大词元数，含推理部分；省略时可用完剩余上下文。',
        ),
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
      }),
    ),
    temperature: samplingFields.temperature,
    top_p: samplingFields.top_p,
    truncation: optional(
      Type.Enum(['auto', 'disabled'], {
        ...said(
          '`auto`: the oldest turns of a conversation that is too long are left out, never the instructions. `disabled`: it is refused.',
          '`auto`：对话过长时略去最早的轮次，但绝不略去指令。`disabled`：直接拒绝。',
        ),
        default: 'disabled',
      }),
    ),
    stream: optional(
      Type.Boolean({
        ...said('Answer with server-sent events as the text is made.', '以服务器发送事件的形式逐步返回。'),
        default: false,
      }),
    ),
    store: optional(
      Type.Boolean({
        ...said(
          'Keep the response, so that others can follow it and it can be read again.',
          '保存回答，以便后续接续和再次读取。',
        ),
        default: true,
      }),
    ),
    include: optional(
      Type.Array(
        Type.String(),
        said(
          '`reasoning.encrypted_content`: reasoning comes with a text that only this installation reads, to be sent back. Others are ignored.',
          '`reasoning.encrypted_content`：推理附带仅本服务可读的密文，供随后发回。其他值会被忽略。',
        ),
      ),
    ),
    metadata: optional(
      Type.Record(
        Type.String(),
        Type.String({ maxLength: 512, ...expecting('expected text of at most 512 characters') }),
        {
          ...said('Up to 16 texts that the response repeats.', '最多 16 个文本，会在回答中重复。'),
          ...expecting('expected an object with at most 16 texts'),
          maxProperties: 16,
        },
      ),
    ),
    background: notSupported('answers are not made in the background here; use stream', false),
    top_logprobs: notSupported('not supported', 0),
    max_tool_calls: optional(
      Type.Integer(said('Counts for hosted tools, of which there are none.', '仅对托管工具有效，而此处没有。')),
    ),
    service_tier: repeated('Ignored.', '忽略。'),
    prompt_cache_key: repeated('Ignored, and repeated.', '忽略，仅在回答中重复。'),
    safety_identifier: repeated('Ignored, and repeated.', '忽略，仅在回答中重复。'),
    user: repeated('Ignored, and repeated.', '忽略，仅在回答中重复。'),
  },
  { $id: 'ResponsesRequest' },
);

export type ResponsesBody = Static<typeof responsesRequestSchema>;
export type CountBody = Static<typeof countRequestSchema>;
