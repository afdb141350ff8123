import type { EstimateBody, Price } from './billing-queries.ts';

const names = ['prompt_tokens', 'max_tokens', 'input_tokens', 'requests', 'examples', 'epochs'] as const;
type EstimateField = (typeof names)[number];
export type EstimateFields = Record<EstimateField, string>;

export function fieldsOf({ operation, kind }: Pick<Price, 'operation' | 'kind'>): readonly EstimateField[] {
  if (operation === 'training') return ['examples', 'epochs'];
  return kind === 'text' ? ['prompt_tokens', 'max_tokens', 'requests'] : ['input_tokens', 'requests'];
}

export const isCount = (text: string): boolean => /^\d{1,8}$/.test(text.trim()) && Number(text) >= 1;

export function estimateBodyOf({ operation, kind, model }: Price, fields: EstimateFields): EstimateBody {
  const number = (name: EstimateField) => Number(fields[name]);
  if (operation === 'training')
    return {
      operation: 'training',
      base_model: model,
      examples: number('examples'),
      hyperparameters: { epochs: number('epochs') },
    };
  const size =
    kind === 'text'
      ? { prompt_tokens: number('prompt_tokens'), max_tokens: number('max_tokens') }
      : { input_tokens: number('input_tokens') };
  return { operation: 'inference', model, requests: number('requests'), ...size };
}
