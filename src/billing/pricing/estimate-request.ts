import type { Static } from 'typebox';
import { type Fault, fault } from '#kernel';
import type { TrainingWork, Work } from './estimate.ts';
import { type ListedPrice, type PricedModel, pricesOf } from './price-list.ts';
import type { estimateBody } from './pricing.schema.ts';

type EstimateBody = Static<typeof estimateBody>;
type Kind = PricedModel['kind'];

/** What an estimate is about, and its price. */
type Asked = { price: ListedPrice } & ({ work: Work } | { training: TrainingWork });

/** What an estimate is about: the work, and the price that it has. Throws a fault that names the field at fault. */
export function readEstimate(models: readonly PricedModel[], body: EstimateBody): Asked {
  const { operation } = body;
  const field = operation === 'training' ? 'base_model' : 'model';
  const id = body[field];
  if (id === undefined) throw missing(field);
  const model = models.find((other) => other.id === id);
  if (!model)
    throw fault('model_not_found', {
      message: `There is no base model ${JSON.stringify(id.slice(0, 80))}.`,
      param: field,
    });
  const [price] = pricesOf([model], { kind: null, operation });
  if (!price)
    throw fault('invalid_request', {
      message: `${field}: there is no rate for ${operation} on ${model.id}; it is not offered here.`,
      param: field,
      details: { reason: `${operation}_not_offered` },
    });
  return operation === 'training' ? { price, training: trainingOf(body) } : { price, work: callsOf(body, model) };
}

function trainingOf({ examples, tokens, hyperparameters = {} }: EstimateBody): TrainingWork {
  if (examples === undefined) throw missing('examples');
  return { examples, tokens: tokens ?? null, hyperparameters };
}

/** Either the active time is known, or the tokens that go with the kind of model. */
function callsOf(body: EstimateBody, { kind }: PricedModel): Work {
  refuseTooMuch(body, kind);
  const { requests = 1, active_ms: activeMs, prompt_tokens, max_tokens, input_tokens, inputs } = body;
  if (activeMs !== undefined) return { kind: 'active_time', activeMs, requests };
  if (kind !== 'text') {
    if (input_tokens === undefined) throw missing('input_tokens');
    return { kind: 'embedding', inputTokens: input_tokens * (inputs ?? 1), requests };
  }
  if (prompt_tokens === undefined) throw missing('prompt_tokens');
  if (max_tokens === undefined) throw missing('max_tokens');
  return { kind: 'generation', promptTokens: prompt_tokens, maxTokens: max_tokens, requests };
}

function refuseTooMuch({ active_ms, prompt_tokens, max_tokens, input_tokens, inputs }: EstimateBody, kind: Kind): void {
  const generation = given({ prompt_tokens, max_tokens });
  const embedding = given({ input_tokens, inputs });
  const isTimed = active_ms !== undefined;
  const [tooMuch] = isTimed ? [...generation, ...embedding] : kind === 'text' ? embedding : generation;
  if (tooMuch !== undefined)
    throw fault('invalid_request', {
      message: `${tooMuch}: does not go with ${isTimed ? 'active_ms' : `a model of kind ${kind}`}.`,
      param: tooMuch,
    });
}

function given(fields: Record<string, number | undefined>): string[] {
  return Object.keys(fields).filter((name) => fields[name] !== undefined);
}

function missing(field: string): Fault {
  return fault('invalid_shape', {
    message: `${field}: is missing.`,
    param: field,
    detail: [{ type: 'missing', loc: ['body', field], msg: 'is missing' }],
  });
}
