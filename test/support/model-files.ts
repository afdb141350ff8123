import { type GgufTensor, type GgufValue, tensorBytes, writeGguf } from './gguf-writer.ts';

export type SampleModel = {
  kind?: 'text' | 'embedding';
  context?: number;
  dimensions?: number;
  pooling?: number;
  addsEndToken?: boolean;
  template?: string | null;
  /** Replaces or adds metadata; undefined removes a key. */
  metadata?: Record<string, GgufValue | undefined>;
  tensors?: readonly GgufTensor[];
};

/** Tools, calls, and a switch of reasoning. */
const sampleTemplate = `{%- if tools %}{{ tools | tojson }}{% endif -%}
{%- for m in messages -%}[{{ m.role }}]{{ m.content }}{%- for c in m.tool_calls or [] -%}
<tool_call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</tool_call>
{%- endfor -%}{%- endfor -%}
{%- if add_generation_prompt %}[assistant]{% if enable_thinking is false %}<think></think>{% endif %}{% endif -%}`;

/** Writes a small GGUF file whose header is that of a real model; its weights are zeros and nothing can run it. */
export function writeSampleModel(path: string, model: SampleModel = {}): void {
  const { kind = 'text', context = 32_768, dimensions = 128 } = model;
  const template = model.template === undefined ? sampleTemplate : model.template;
  const metadata: Record<string, GgufValue | undefined> = {
    'general.architecture': { type: 'string', value: 'qwen3' },
    'general.type': { type: 'string', value: 'model' },
    'general.name': { type: 'string', value: 'Sample' },
    'qwen3.context_length': { type: 'u32', value: context },
    'qwen3.embedding_length': { type: 'u32', value: dimensions },
    'tokenizer.ggml.tokens': { type: 'strings', value: ['a', 'b', '<end>'] },
    'tokenizer.ggml.token_type': { type: 'i32s', value: [1, 1, 3] },
    ...(kind === 'text' && template !== null ? { 'tokenizer.chat_template': { type: 'string', value: template } } : {}),
    ...(kind === 'embedding'
      ? {
          'qwen3.pooling_type': { type: 'u32', value: model.pooling ?? 3 },
          'tokenizer.ggml.add_eos_token': { type: 'bool', value: model.addsEndToken ?? true },
        }
      : {}),
    ...model.metadata,
  };
  const known = Object.entries(metadata).flatMap(([key, value]) => (value ? [[key, value] as const] : []));
  writeGguf(path, Object.fromEntries(known), model.tensors ?? [zeros('token_embd.weight', [dimensions, 3])]);
}

export function zeros(name: string, shape: readonly number[]): GgufTensor {
  return { name, shape, format: 'F32', bytes: () => new Uint8Array(tensorBytes(shape, 'F32')) };
}
