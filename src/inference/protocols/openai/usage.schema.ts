import Type from 'typebox';
import { said } from '#http';

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

/** Token counts of an answer of a text model (interface 2.3), with the nested copies that several clients read. */
export const usageSchema = Type.Object(
  {
    prompt_tokens: count('Tokens of the prompt.', '提示词的词元数。'),
    completion_tokens: count('Tokens that the model generated, reasoning included.', '模型生成的词元数，含推理部分。'),
    total_tokens: count('Both together.', '以上两者之和。'),
    reasoning_tokens: count('Tokens of reasoning among the generated ones.', '生成的词元中属于推理的部分。'),
    cached_tokens: count(
      'Tokens of the prompt that the model still knew from an earlier call of the account.',
      '提示词中命中账户先前调用缓存的词元数。',
    ),
    prompt_tokens_details: Type.Object(
      { cached_tokens: count('As above.', '同上。') },
      said('The same as OpenAI names it.', '与 OpenAI 同名的副本。'),
    ),
    completion_tokens_details: Type.Object(
      { reasoning_tokens: count('As above.', '同上。') },
      said('The same as OpenAI names it.', '与 OpenAI 同名的副本。'),
    ),
  },
  { $id: 'Usage', ...said('Token counts. What the model does not report is 0.', '词元计数。模型未报告的计数为 0。') },
);

export const usageExample = {
  prompt_tokens: 21,
  completion_tokens: 9,
  total_tokens: 30,
  reasoning_tokens: 0,
  cached_tokens: 12,
  prompt_tokens_details: { cached_tokens: 12 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

export const created = Type.Integer(said('Unix time in seconds.', 'Unix 时间（秒）。'));
export const answeredModel = Type.String(said('The model as it was called.', '所调用的模型名。'));
export const finishReason = Type.Enum(
  ['stop', 'length', 'tool_calls'],
  said(
    '`stop`: the model ended or met a stop text; `length`: `max_tokens` is used up; `tool_calls`: it calls tools.',
    '`stop`：模型结束或遇到停止文本；`length`：达到 `max_tokens`；`tool_calls`：模型请求调用工具。',
  ),
);
