import type { RuntimeStatus } from '#engine';
import { formatCredits } from '#kernel';
import { type BaseModel, chatDefaults, isServed } from './base-model.ts';
import type { HostedModel } from './hosted-models.store.ts';
import { limitsOf } from './resolve.ts';
import type { TrainingProfile } from './training-profile.ts';

/** An entry of the compatible models list (interface 2.1). */
export type CompatModel = { id: string; object: 'model'; created: number; owned_by: string };

/** @param ownerSlug the owner of the project. */
export function toCompatModel({ alias, createdAt }: HostedModel, ownerSlug: string): CompatModel {
  return { id: alias, object: 'model', created: Math.floor(createdAt.getTime() / 1000), owned_by: ownerSlug };
}

/**
 * A row of `GET /api/v1/base-models`. `defaults` is the one table of the service (interface 4.2), the same in every
 * row; `capabilities` says what of it a model understands. `runtime_status` is null while the model is not installed.
 */
export function toBaseModelWire(
  model: BaseModel,
  runtime: RuntimeStatus['status'] | null,
  training: TrainingProfile | null,
) {
  const embeds = model.kind === 'embedding';
  const limits = limitsOf(model);
  return {
    id: model.id,
    name: model.name,
    kind: model.kind,
    parameters: model.parameters,
    license: model.license,
    max_context_tokens: model.maxContextTokens,
    dimensions: model.dimensions,
    query_instruction: model.queryInstruction,
    inference: {
      defaults: chatDefaults,
      capabilities: {
        streaming: !embeds,
        tools: model.tools,
        reasoning_effort: model.reasoningEfforts,
        embeddings: embeds,
        max_inputs: embeds ? limits.maxInputs : null,
        max_input_tokens: embeds ? limits.maxInputTokens : null,
        request_token_budget: embeds ? limits.requestTokenBudget : null,
      },
    },
    training: trainingToWire(training),
    serving: { available: isServed(model), runtime_status: isServed(model) ? runtime : null },
    revision: model.installed?.sha256 ?? null,
    rate: { credits_per_gpu_minute: formatCredits(model.rateMicroPerMinute), price_version: model.priceVersion },
    created_at: model.created.toISOString(),
  };
}

function trainingToWire(profile: TrainingProfile | null) {
  if (!profile) return { supported: false, hyperparameters: {}, max_seq_lengths: [] };
  const hyperparameters = Object.fromEntries(
    Object.entries(profile.hyperparameters).map(([name, { isInteger: _, ...range }]) => [name, range]),
  );
  return { supported: true, hyperparameters, max_seq_lengths: profile.maxSeqLengths };
}
