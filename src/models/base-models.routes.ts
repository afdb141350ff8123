import type { FastifyInstance } from 'fastify';
import type { RuntimeStatus } from '#engine';
import { pageOf, plainPageQuery, readPage } from '#http';
import { type CursorCodec, formatCredits } from '#kernel';
import { type BaseModel, chatDefaults } from './base-model.ts';
import { listContract } from './base-models.contract.ts';
import type { HostedModel } from './hosted-models.store.ts';
import type { ModelsService } from './models-service.ts';
import { isServed, limitsOf } from './resolve.ts';
import type { TrainingProfile } from './training-profile.ts';

export type BaseModelsDeps = {
  models: ModelsService;
  cursors: CursorCodec;
  runtimeStatus: (baseModelId: string) => RuntimeStatus;
};

const scope = ['base-models'];

export function baseModelsRoutes({ models, cursors, runtimeStatus }: BaseModelsDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const config = { operation: 'base_models.list', contract: listContract };
    app.get('/api/v1/base-models', { config, schema: { querystring: plainPageQuery } }, async (request) => {
      const { limit, cursor } = readPage(request.query);
      const [createdMs, id] = cursor === null ? [] : cursors.decode(scope, cursor);
      const all = models.baseModels().toSorted(newestFirst);
      return pageOf({
        rows: all.filter((model) => isAfter(model, createdMs, id)).slice(0, limit + 1),
        limit,
        totalCount: all.length,
        cursorOf: (model) => cursors.encode(scope, [String(model.created.getTime()), model.id]),
        toWire: (model) => {
          const runtime = isServed(model) ? runtimeStatus(model.id).status : null;
          return toBaseModelWire(model, runtime, models.trainingProfile(model.id));
        },
      });
    });
  };
}

function newestFirst(a: BaseModel, b: BaseModel): number {
  return b.created.getTime() - a.created.getTime() || (a.id < b.id ? 1 : -1);
}

/** Whether a model comes after the cursor's position; without one, every model does. */
function isAfter(model: BaseModel, createdMs: string | undefined, id: string | undefined): boolean {
  if (createdMs === undefined || id === undefined) return true;
  const difference = model.created.getTime() - Number(createdMs);
  return difference < 0 || (difference === 0 && model.id < id);
}

export type CompatModel = { id: string; object: 'model'; created: number; owned_by: string };

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
  const isText = model.kind === 'text';
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
        streaming: isText,
        tools: model.tools,
        parallel_tool_calls: model.parallelToolCalls ?? model.tools,
        reasoning_effort: model.reasoningEfforts,
        embeddings: model.kind === 'embedding',
        rerank: model.kind === 'reranker',
        vision: model.hasVision === true,
        max_inputs: isText ? null : limits.maxInputs,
        max_input_tokens: isText ? null : limits.maxInputTokens,
        request_token_budget: isText ? null : limits.requestTokenBudget,
        missing: model.missing ?? {},
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
