import Type, { type Static } from 'typebox';
import { expecting } from '#http';
import { optional } from '../shared/call.contract.ts';

const description = optional(Type.String({ description: 'What it does, for the model.' }));
const anything = (description: string) => Type.Optional(Type.Unknown({ description }));

const functionTool = Type.Object(
  {
    type: Type.Literal('function', { description: 'A function of the caller.' }),
    name: Type.String({
      description: 'A name that no other function has.',
      pattern: '^[A-Za-z0-9_-]{1,128}$',
      ...expecting('expected 1 to 128 letters, digits, "_" or "-"'),
    }),
    description,
    parameters: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'JSON Schema of its arguments; left out, it has none.',
        ...expecting('expected a JSON schema object'),
      }),
    ),
    strict: anything(
      '`true`: arguments fit the schema also where the model chooses to call. Another value changes nothing.',
    ),
  },
  { description: 'A function.' },
);

const customTool = Type.Object(
  {
    type: Type.Literal('custom', { description: 'A tool that is given text.' }),
    name: anything('Its name.'),
    description: anything('What it does, for the model.'),
    format: anything('A grammar of the text. It is told to the model, but the text is not held to it.'),
  },
  { description: 'A custom tool. The model sees a function with one text; its calls are `custom_tool_call` items.' },
);

const namespaceTool = Type.Object(
  {
    type: Type.Literal('namespace', { description: 'Several tools.' }),
    name: anything('Its name.'),
    description: anything('What its tools are for.'),
    tools: anything('Its functions and custom tools.'),
  },
  {
    description:
      'A group of tools. The model sees each of them with the name of the group in front; its calls have the `namespace` apart.',
  },
);

const hostedTool = Type.Object(
  {
    type: Type.String({
      description: 'Such as `web_search`.',
      not: { enum: ['function', 'custom', 'namespace'] },
    }),
  },
  { description: 'Tools that a provider hosts are left out.' },
);

const maxTools = 512;

export const tools = Type.Array(Type.Union([functionTool, customTool, namespaceTool, hostedTool]), {
  description: 'Tools that the model may call.',
  ...expecting((sent) => (Array.isArray(sent) ? `expected at most ${maxTools} tools` : 'expected a list of tools')),
  maxItems: maxTools,
});

const name = Type.String({ description: 'Name of a tool of the request.' });

export const toolChoice = Type.Union(
  [
    Type.Enum(['auto', 'none', 'required']),
    Type.Object({ type: Type.Literal('function', { description: 'A function must be called.' }), name }),
    Type.Object({
      type: Type.Literal('custom', { description: 'A custom tool must be called.' }),
      name,
    }),
    Type.Object({
      type: Type.Literal('allowed_tools', { description: 'Only some of the tools.' }),
      mode: Type.Enum(['auto', 'required'], { description: 'Whether one of them must be called.' }),
      tools: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: 'Tools of the request, by type and name.',
      }),
    }),
    Type.Object(
      {
        type: Type.String({
          description: 'Such as `web_search`.',
          not: { enum: ['function', 'custom', 'allowed_tools'] },
        }),
      },
      { description: 'A hosted tool: the same as `auto`.' },
    ),
  ],
  {
    description:
      'Whether tools are called: as the model likes (`auto`), never, at least once, the one that is named, or some of them only.',
    ...expecting('expected "auto", "none", "required" or an object such as {"type":"function","name":...}'),
  },
);

export type ResponsesTool = Static<typeof tools>[number];
export type FunctionToolBody = Static<typeof functionTool>;
export type ToolChoiceBody = Static<typeof toolChoice>;
