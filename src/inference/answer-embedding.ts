import type { Embedded, PreparedEmbedding } from '#engine';
import { type Fault, fault } from '#kernel';
import { type ServedModel, withQueryInstruction } from '#models';
import type { InferenceDeps } from './deps.ts';
import { embedInputs } from './embed-inputs.ts';
import { type CallRoute, repeatJson, resolve } from './handle-call.ts';
import type { ModelCall } from './model-call.ts';
import type { EmbeddingAnswer, EmbeddingsRequest } from './model-request.ts';
import type { EmbeddingCall } from './protocol.ts';

export function embeddingRoute(deps: InferenceDeps, route: EmbeddingCall): CallRoute<EmbeddingsRequest> {
  return {
    operation: route.operation,
    read: route.read,
    answer: (call, input) => answerEmbedding(deps, call, { route, input }),
    repeat: repeatJson,
  };
}

type EmbeddingAnswering = { route: EmbeddingCall; input: EmbeddingsRequest };

async function answerEmbedding(
  deps: InferenceDeps,
  call: ModelCall,
  { route, input }: EmbeddingAnswering,
): Promise<string> {
  const model = resolveEmbedding(deps, call, input);
  const { maxInputs, requestTokenBudget } = model.limits;
  if (input.inputs.length > maxInputs) {
    throw fault('invalid_request', {
      param: 'input',
      message: `input: expected at most ${maxInputs} inputs; split the request, or set the batch size of your client to ${maxInputs}`,
    });
  }
  const bodyOf = (answer: EmbeddingAnswer) => route.collect(input, answer);
  await call.begin(model, { promptTokens: requestTokenBudget, maxTokens: 0 });
  const answer = await embedInputs(deps, call, {
    inputs: { texts: instructed(input, model.queryInstruction), truncate: input.truncate },
    refusalOf: limitRefusal,
    check: checkAnswer,
    answerOf: (embedded, { inputs }) => ({ ...embedded, truncated: inputs.map(({ truncated }) => truncated) }),
    bodyOf,
  });
  call.reply.type('application/json; charset=utf-8');
  return JSON.stringify(bodyOf(answer));
}

/** The checks between shape and limits, in the order of the wire contract 3.2: project, model, dimensions. */
function resolveEmbedding(deps: InferenceDeps, call: ModelCall, input: EmbeddingsRequest): ServedModel {
  if (call.admitted.project.kind !== 'embedding') throw fault('embeddings_not_enabled');
  const model = resolve(deps, call.admitted, input.model);
  const { kind, dimensions } = model.baseModel;
  if (kind !== 'embedding') {
    throw fault('model_not_found', {
      param: 'model',
      message: `The model ${JSON.stringify(input.model)} does not embed.`,
    });
  }
  if (input.dimensions !== null && input.dimensions !== dimensions) {
    throw fault('invalid_request', {
      param: 'dimensions',
      message: `dimensions: this model's vectors have ${dimensions} dimensions`,
    });
  }
  return model;
}

/** The instruction goes in front of queries only (interface 4.5.1). */
function instructed({ inputs, role }: EmbeddingsRequest, instruction: string | null): string[] {
  return role === 'query' ? inputs.map((query) => withQueryInstruction(instruction, query)) : inputs;
}

function limitRefusal(prepared: PreparedEmbedding, limits: ServedModel['limits']): Fault | null {
  const excess = limitExcess(prepared, limits);
  return excess === null ? null : fault('invalid_request', { param: 'input', message: `input: ${excess}` });
}

function limitExcess({ inputs }: PreparedEmbedding, limits: ServedModel['limits']): string | null {
  const longest = Math.max(...inputs.map(({ tokens }) => tokens));
  if (longest > limits.maxInputTokens) {
    return `an input has ${longest} tokens, the limit is ${limits.maxInputTokens}; set a smaller chunk size in your client, or send truncate: true`;
  }
  if (inputs.length > 1 && inputs.some(({ truncated }) => truncated)) {
    return 'an input that is cut fills the whole request; send it alone';
  }
  const total = inputs.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total > limits.requestTokenBudget) {
    return `the inputs have ${total} tokens together, the limit is ${limits.requestTokenBudget}; send one input per request (set your client's batch size to 1)`;
  }
  return null;
}

/** Every answer is checked before it is returned (interface 4.5.4); a wrong one is our failure and free. */
function checkAnswer({ vectors, promptTokens }: Embedded, { inputs, dimensions }: PreparedEmbedding): void {
  const tokens = inputs.reduce((sum, input) => sum + input.tokens, 0);
  const whole =
    vectors.length === inputs.length &&
    vectors.every((vector) => vector.length === dimensions && vector.every(Number.isFinite));
  if (!whole || promptTokens !== tokens) {
    throw fault('generation_failed', {
      message: 'The model returned vectors that do not fit the request.',
      internal: `${vectors.length} vectors, ${promptTokens} tokens for ${tokens}`,
    });
  }
}
