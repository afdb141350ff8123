/** Chat templates of our own that write calls in the forms of model families. `family`: models that write so. */
export type FormatExample = {
  family: string;
  name: string;
  source: string;
  controlTokens: string[];
  parallel?: boolean;
  /** The template writes members in the order of their names. */
  isSorted?: boolean;
};

const chatml = ['<|im_start|>', '<|im_end|>'];
const listed = '{%- if tools %}<|im_start|>system\nTools: {{ tools | tojson }}<|im_end|>\n{% endif -%}';
const prompt = '{%- if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';

/** A template of ChatML: only how calls are written differs. */
function withCalls(calls: string, system = listed): string {
  return `${system}{%- for m in messages -%}<|im_start|>{{ m.role }}
{{ m.content }}{% if m.tool_calls %}${calls}{% endif %}<|im_end|>
{% endfor %}${prompt}`;
}

const eachCall = (text: string, between = ''): string =>
  `{%- for c in m.tool_calls -%}{%- if not loop.first %}{{ ${JSON.stringify(between)} }}{% endif -%}${text}{%- endfor -%}`;
const args = 'c.function.arguments';
const json = `{{ ${args} | tojson }}`;
const name = '{{ c.function.name }}';
const members = (text: string): string => `{%- for k, v in ${args} | items -%}${text}{%- endfor -%}`;
const value = '{{ v if v is string else v | tojson }}';
const newline = '{{ "\\n" }}';

const thinking = `${listed}{%- for m in messages -%}<|im_start|>{{ m.role }}
{% if m.role == 'assistant' %}{% if m.reasoning_content %}<think>
{{ m.reasoning_content }}
</think>

{% endif %}{% endif %}{{ m.content }}{% if m.tool_calls %}${eachCall(`<tool_call>${newline}{"name": "${name}", "arguments": ${json}}${newline}</tool_call>`, '\n')}{% endif %}<|im_end|>
{% endfor %}${prompt}{% if add_generation_prompt and enable_thinking is defined and not enable_thinking %}<think>

</think>

{% endif %}`;

const harmony = `{%- if tools %}<|start|>developer<|message|># Tools {{ tools | tojson }}<|end|>{% endif -%}
{%- for m in messages -%}{%- if m.role == 'assistant' -%}{%- if m.tool_calls -%}
{%- if m.thinking %}<|start|>assistant<|channel|>analysis<|message|>{{ m.thinking }}<|end|>{% endif -%}
{%- for c in m.tool_calls -%}{%- if not loop.first %}<|call|>{% endif -%}<|start|>assistant to=functions.${name}<|channel|>commentary json<|message|>${json}{%- endfor -%}<|call|>
{%- else -%}{%- if m.thinking %}<|start|>assistant<|channel|>analysis<|message|>{{ m.thinking }}<|end|>{% endif -%}<|start|>assistant<|channel|>final<|message|>{{ m.content }}<|return|>{%- endif -%}
{%- else -%}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{%- endif -%}{%- endfor -%}
{%- if reasoning_effort %}<|start|>system<|message|>Reasoning: {{ reasoning_effort }}<|end|>{% endif -%}
{%- if add_generation_prompt %}<|start|>assistant{% endif -%}`;

const gemmaValue = `{%- macro put(v) -%}{%- if v is string -%}<|"|>{{ v }}<|"|>{%- elif v is mapping -%}{{ '{' }}{%- for k, x in v | dictsort -%}{%- if not loop.first -%},{%- endif -%}{{ k }}:{{ put(x) }}{%- endfor -%}{{ '}' }}{%- elif v is boolean or v is none or v is number -%}{{ v | tojson }}{%- else -%}[{%- for x in v -%}{%- if not loop.first -%},{%- endif -%}{{ put(x) }}{%- endfor -%}]{%- endif -%}{%- endmacro -%}`;

const xmlValue = `{%- set ns = ']<]minimax[>[' -%}{%- macro put(v) -%}{%- if v is mapping -%}{%- for k, x in v | items -%}{{ ns }}<{{ k }}>{{ put(x) }}{{ ns }}</{{ k }}>{%- endfor -%}{%- elif v is string -%}{{ v }}{%- elif v is boolean or v is number -%}{{ v | tojson }}{%- else -%}{%- for x in v -%}{{ ns }}<item>{{ put(x) }}{{ ns }}</item>{%- endfor -%}{%- endif -%}{%- endmacro -%}`;

const pythonic = `{%- macro put(v) -%}{%- if v is string -%}{{ v | tojson }}{%- elif v is true -%}True{%- elif v is false -%}False{%- elif v is none -%}None{%- else -%}{{ v | tojson }}{%- endif -%}{%- endmacro -%}`;

export const examples: FormatExample[] = [
  {
    family: 'Qwen 2.5, Qwen 3, Hermes, Granite 4, MiMo',
    name: 'JSON in tags',
    source: thinking,
    controlTokens: chatml,
  },
  {
    family: 'Mistral Nemo, Mistral Large',
    name: 'a JSON list with ids of nine characters behind a control token',
    source: withCalls(
      `[TOOL_CALLS][${eachCall(`{%- if c.id | length != 9 -%}{{ raise_exception('ids have 9 characters') }}{%- endif -%}{"name": "${name}", "arguments": ${json}, "id": "{{ c.id }}"}`, ', ')}]`,
    ),
    controlTokens: [...chatml, '[TOOL_CALLS]'],
  },
  {
    family: 'Mistral Small 3.2, Devstral, Magistral',
    name: 'name, id and JSON behind control tokens',
    source: withCalls(eachCall(`[TOOL_CALLS]${name}[CALL_ID]{{ c.id }}[ARGS]${json}`)),
    controlTokens: [...chatml, '[TOOL_CALLS]', '[CALL_ID]', '[ARGS]'],
  },
  {
    family: 'Kimi K2',
    name: 'a section of calls with names and numbers',
    source: withCalls(
      `<|calls_begin|>${eachCall(`<|call_begin|>functions.${name}:{{ loop.index0 }}<|argument_begin|>${json}<|call_end|>`)}<|calls_end|>`,
    ),
    controlTokens: [
      ...chatml,
      '<|calls_begin|>',
      '<|calls_end|>',
      '<|call_begin|>',
      '<|call_end|>',
      '<|argument_begin|>',
    ],
  },
  {
    family: 'DeepSeek R1, DeepSeek V3',
    name: 'a section of calls with JSON in a code block',
    source: withCalls(
      `<｜calls｜>${eachCall(`<｜call｜>function<｜sep｜>${name}${newline}\`\`\`json${newline}${json}${newline}\`\`\`<｜end｜>`, '\n')}<｜over｜>`,
    ),
    controlTokens: [...chatml, '<｜calls｜>', '<｜call｜>', '<｜sep｜>', '<｜end｜>', '<｜over｜>'],
  },
  {
    family: 'MiniCPM 5',
    name: 'XML with CDATA sections',
    source: withCalls(
      eachCall(
        `<function name="${name}">${members(`<param name="{{ k }}">{% if v is string and ('<' in v or '&' in v or '\\n' in v) %}<![CDATA[{{ v }}]]>{% else %}${value}{% endif %}</param>`)}</function>`,
        '\n',
      ),
    ),
    controlTokens: chatml,
  },
  {
    family: 'MiniMax M1',
    name: 'JSON calls that follow one another in a section',
    source: withCalls(
      `<tool_calls>${newline}${eachCall(`{"name": "${name}", "arguments": ${json}}${newline}`)}</tool_calls>`,
    ),
    controlTokens: chatml,
  },
  {
    family: 'Kimi K2.5',
    name: 'a section of calls that the template names by their ids',
    source: withCalls(
      `<|calls_begin|>${eachCall(`<|call_begin|>{{ c.id }}<|argument_begin|>${json}<|call_end|>`)}<|calls_end|>`,
    ),
    controlTokens: [
      ...chatml,
      '<|calls_begin|>',
      '<|calls_end|>',
      '<|call_begin|>',
      '<|call_end|>',
      '<|argument_begin|>',
    ],
  },
  {
    family: 'DeepSeek V3.1',
    name: 'names and JSON in a section, no tools in the template',
    source: withCalls(`<｜calls｜>${eachCall(`<｜call｜>${name}<｜sep｜>${json}<｜end｜>`)}<｜over｜>`, ''),
    controlTokens: [...chatml, '<｜calls｜>', '<｜call｜>', '<｜sep｜>', '<｜end｜>', '<｜over｜>'],
  },
  {
    family: 'Qwen3-Coder, Qwen 3.5, Nemotron 3, Seed-OSS',
    name: 'a tag for each parameter',
    source: withCalls(
      eachCall(
        `<tool_call>${newline}<function=${name}>${newline}${members(`<parameter={{ k }}>${newline}${value}${newline}</parameter>${newline}`)}</function>${newline}</tool_call>`,
        '\n',
      ),
    ),
    controlTokens: chatml,
  },
  {
    family: 'GLM 4.5, GLM 4.6, Ling 3, Laguna',
    name: 'tags for keys and for values',
    source: withCalls(
      eachCall(
        `<tool_call>${name}${newline}${members(`<arg_key>{{ k }}</arg_key>${newline}<arg_value>${value}</arg_value>${newline}`)}</tool_call>`,
        '\n',
      ),
    ),
    controlTokens: chatml,
  },
  {
    family: 'MiniMax M2',
    name: 'a section of calls with attributes',
    source: withCalls(
      `<minimax:tool_call>${newline}${eachCall(`<invoke name="${name}">${newline}${members(`<parameter name="{{ k }}">${value}</parameter>${newline}`)}</invoke>${newline}`)}</minimax:tool_call>`,
    ),
    controlTokens: chatml,
  },
  {
    family: 'DeepSeek V3.2, DeepSeek V4',
    name: 'attributes that tell texts from other values',
    source: withCalls(
      `<｜ML｜calls>${newline}${eachCall(`<｜ML｜invoke name="${name}">${newline}${members(`<｜ML｜parameter name="{{ k }}" string="{{ 'true' if v is string else 'false' }}">${value}</｜ML｜parameter>${newline}`)}</｜ML｜invoke>${newline}`)}</｜ML｜calls>`,
    ),
    controlTokens: chatml,
  },
  {
    family: 'Apertus',
    name: 'a list of objects whose keys are the names',
    source: withCalls(`<|tools_prefix|>[${eachCall(`{"${name}": ${json}}`, ', ')}]<|tools_suffix|>`),
    controlTokens: [...chatml, '<|tools_prefix|>', '<|tools_suffix|>'],
  },
  {
    family: 'Llama 3.1, Llama 3.3',
    name: 'bare JSON, one call',
    source: withCalls(
      `{%- if m.tool_calls | length > 1 -%}{{ raise_exception('one call at a time') }}{%- endif -%}${eachCall(`{"name": "${name}", "parameters": ${json}}`)}`,
    ),
    controlTokens: chatml,
    parallel: false,
  },
  {
    family: 'Command R7B',
    name: 'a list of numbered actions',
    source: withCalls(
      `<|START_ACTION|>[${newline}    ${eachCall(`{"tool_call_id": "{{ loop.index0 }}", "tool_name": "${name}", "parameters": ${json}}`, ',\n    ')}${newline}]<|END_ACTION|>`,
    ),
    controlTokens: [...chatml, '<|START_ACTION|>', '<|END_ACTION|>'],
  },
  {
    family: 'Solar Open',
    name: 'ids in front of names',
    source: withCalls(
      `<|tool_calls|>${eachCall(`<|tool_call:begin|>{{ c.id }}<|tool_call:name|>${name}<|tool_call:args|>${json}<|tool_call:end|>`)}`,
    ),
    controlTokens: [
      ...chatml,
      '<|tool_calls|>',
      '<|tool_call:begin|>',
      '<|tool_call:name|>',
      '<|tool_call:args|>',
      '<|tool_call:end|>',
    ],
  },
  {
    family: 'Functionary',
    name: 'recipients in front of messages, arguments as text',
    source: `${listed}{%- for m in messages -%}<|im_start|>{{ m.role }}
{% if m.role == 'assistant' %}{% if m.content %}>>>all
{{ m.content }}{% endif %}{% for c in m.tool_calls or [] %}{{ '>>>' + c.function.name + '\n' + ${args} }}{% endfor %}{% else %}{{ m.content }}{% endif %}<|im_end|>
{% endfor %}${prompt}{% if add_generation_prompt %}>>>{% endif %}`,
    controlTokens: chatml,
  },
  {
    family: 'gpt-oss, LLM-jp 4',
    name: 'harmony: channels and recipients',
    source: harmony,
    controlTokens: ['<|start|>', '<|end|>', '<|channel|>', '<|message|>', '<|call|>', '<|return|>', '<|constrain|>'],
    parallel: false,
  },
  {
    family: 'Gemma 4',
    name: 'values in a form of their own',
    source: gemmaValue + withCalls(eachCall(`<|tool_call>call:${name}{{ put(${args}) }}<tool_call|>`)),
    controlTokens: [...chatml, '<|tool_call>', '<tool_call|>', '<|"|>'],
    isSorted: true,
  },
  {
    family: 'MiniMax M3',
    name: 'values as nested tags',
    source:
      xmlValue +
      withCalls(
        `{{ ns }}<tool_call>${newline}${eachCall(`{{ ns }}<invoke name="${name}">{{ put(${args}) }}{{ ns }}</invoke>${newline}`)}{{ ns }}</tool_call>`,
      ),
    controlTokens: [...chatml, ']<]minimax[>['],
  },
  {
    family: 'Llama 4, other models with calls as Python',
    name: 'calls as Python',
    source:
      pythonic +
      withCalls(
        `[${eachCall(`${name}({%- for k, v in ${args} | items -%}{%- if not loop.first -%}{{ ', ' }}{%- endif -%}{{ k }}={{ put(v) }}{%- endfor -%})`, ', ')}]`,
      ),
    controlTokens: chatml,
  },
  {
    family: 'LFM2',
    name: 'calls as Python between control tokens, left out by the template',
    source: `${listed}{%- for m in messages -%}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}${prompt}`,
    controlTokens: [...chatml, '<|tool_call_start|>', '<|tool_call_end|>'],
  },
  {
    family: 'Granite 3',
    name: 'a list that the template describes in words',
    source: `${listed.replace('Tools:', 'Write <|tool_call|> and a JSON list of calls. Tools:')}{%- for m in messages -%}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}${prompt}`,
    controlTokens: [...chatml, '<|tool_call|>'],
  },
];
