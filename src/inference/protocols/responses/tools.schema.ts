import Type, { type Static } from 'typebox';
import { expecting, said } from '#http';
import { optional } from '../openai/sampling.contract.ts';

const description = optional(Type.String(said('What it does, for the model.', '向模型说明其用途。')));
const anything = (english: string, chinese: string) => Type.Optional(Type.Unknown(said(english, chinese)));

const functionTool = Type.Object(
  {
    type: Type.Literal('function', said('A function of the caller.', '调用者的函数。')),
    name: Type.String({
      ...said('A name that no other function has.', '名称，不得重复。'),
      pattern: '^[A-Za-z0-9_-]{1,128}$',
      ...expecting('expected 1 to 128 letters, digits, "_" or "-"'),
    }),
    description,
    parameters: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        ...said('JSON Schema of its arguments; left out, it has none.', '参数的 JSON Schema；省略表示没有参数。'),
        ...expecting('expected a JSON schema object'),
      }),
    ),
    strict: anything(
      '`true`: arguments fit the schema also where the model chooses to call. Another value changes nothing.',
      '`true`：即使由模型自行决定调用，参数也符合 Schema。其他值不产生影响。',
    ),
  },
  said('A function.', '函数。'),
);

const customTool = Type.Object(
  {
    type: Type.Literal('custom', said('A tool that is given text.', '接受文本输入的工具。')),
    name: anything('Its name.', '名称。'),
    description: anything('What it does, for the model.', '向模型说明其用途。'),
    format: anything(
      'A grammar of the text. It is told to the model, but the text is not held to it.',
      '文本的语法。会告知模型，但不强制约束。',
    ),
  },
  said(
    'A custom tool. The model sees a function with one text; its calls are `custom_tool_call` items.',
    '自定义工具。模型将其视为只有一个文本参数的函数；其调用为 `custom_tool_call` 条目。',
  ),
);

const namespaceTool = Type.Object(
  {
    type: Type.Literal('namespace', said('Several tools.', '一组工具。')),
    name: anything('Its name.', '名称。'),
    description: anything('What its tools are for.', '其中工具的用途。'),
    tools: anything('Its functions and custom tools.', '其中的函数和自定义工具。'),
  },
  said(
    'A group of tools. The model sees each of them with the name of the group in front; its calls have the `namespace` apart.',
    '一组工具。模型看到的名称以组名开头；返回的调用中 `namespace` 单独列出。',
  ),
);

const hostedTool = Type.Object(
  {
    type: Type.String({
      ...said('Such as `web_search`.', '例如 `web_search`。'),
      not: { enum: ['function', 'custom', 'namespace'] },
    }),
  },
  said('Tools that a provider hosts are left out.', '由服务方托管的工具会被略去。'),
);

const maxTools = 512;

export const tools = Type.Array(Type.Union([functionTool, customTool, namespaceTool, hostedTool]), {
  ...said('Tools that the model may call.', '模型可以调用的工具。'),
  ...expecting((sent) => (Array.isArray(sent) ? `expected at most ${maxTools} tools` : 'expected a list of tools')),
  maxItems: maxTools,
});

const name = Type.String(said('Name of a tool of the request.', '请求中某个工具的名称。'));

export const toolChoice = Type.Union(
  [
    Type.Enum(['auto', 'none', 'required']),
    Type.Object({ type: Type.Literal('function', said('A function must be called.', '必须调用的函数。')), name }),
    Type.Object({
      type: Type.Literal('custom', said('A custom tool must be called.', '必须调用的自定义工具。')),
      name,
    }),
    Type.Object({
      type: Type.Literal('allowed_tools', said('Only some of the tools.', '仅限部分工具。')),
      mode: Type.Enum(['auto', 'required'], said('Whether one of them must be called.', '是否必须调用其中之一。')),
      tools: Type.Array(
        Type.Record(Type.String(), Type.Unknown()),
        said('Tools of the request, by type and name.', '请求中的工具，按类型和名称给出。'),
      ),
    }),
    Type.Object(
      {
        type: Type.String({
          ...said('Such as `web_search`.', '例如 `web_search`。'),
          not: { enum: ['function', 'custom', 'allowed_tools'] },
        }),
      },
      said('A hosted tool: the same as `auto`.', '托管工具：等同于 `auto`。'),
    ),
  ],
  {
    ...said(
      'Whether tools are called: as the model likes (`auto`), never, at least once, the one that is named, or some of them only.',
      '是否调用工具：由模型决定（`auto`）、从不、至少一次、指定的工具，或仅限部分工具。',
    ),
    ...expecting('expected "auto", "none", "required" or an object such as {"type":"function","name":...}'),
  },
);

export type ToolBody = Static<typeof tools>[number];
export type FunctionToolBody = Static<typeof functionTool>;
export type ToolChoiceBody = Static<typeof toolChoice>;
