import type { FastifyReply, FastifyRequest } from 'fastify';
import { imagesOf } from '#engine';
import { compatBody, watchCaller } from '#http';
import { fault, quotedText } from '#kernel';
import { listCallableHostedModels } from '#models';
import type { Admitted } from './admission.ts';
import { createCountLimit } from './count-limit.ts';
import type { InferenceDeps } from './deps.ts';
import { modelIn, readBody, resolve, resolveText, scopeOf } from './handle-call.ts';
import type { TextRequest } from './model-request.ts';
import type { ProtocolContext } from './protocol.ts';
import { nothingStored } from './stored-responses.ts';

/** What the further routes of protocols may ask for. */
export function createProtocolContext(deps: InferenceDeps): ProtocolContext {
  const countLimit = createCountLimit(deps.clock);

  function admit(request: FastifyRequest, model: string | null = null): Promise<Admitted> {
    return deps.admit(request.headers, scopeOf(request, model));
  }

  /** Lets a call in that costs nothing and is limited in number. */
  async function admitCounting<Input>(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    read: (body: unknown) => Input,
  ) {
    const body = compatBody(request);
    const admitted = await admit(request, modelIn(body));
    const input = read(readBody(body));
    countLimit.take(admitted.accountId);
    return { admitted, input, signal: watchCaller(reply).signal };
  }

  return {
    admit: async (request) => void (await admit(request)),
    async listModels(request) {
      const { project, accountId, isOwner } = await admit(request);
      return await listCallableHostedModels(deps.sql, { projectId: project.id, accountId, isOwner });
    },
    async countPrompt({ request, reply }, read) {
      const body = compatBody(request);
      const admitted = await admit(request, modelIn(body));
      const counted = await read(readBody(body));
      countLimit.take(admitted.accountId);
      return await countPrompt(deps, { admitted, counted, reply });
    },
    async tokenize({ request, reply }, read) {
      const { admitted, input, signal } = await admitCounting({ request, reply }, read);
      const { model, ...sent } = input;
      const { baseModel, target } = resolve(deps, admitted, model);
      const { id: baseModelId, maxContextTokens } = baseModel;
      if ('prompt' in sent && baseModel.kind !== 'text')
        throw fault('invalid_request', {
          param: 'messages',
          message: `messages: ${quotedText(model)} does not chat; send a text as prompt`,
        });
      if ('prompt' in sent) refuseImages(sent.prompt);
      const scope = admitted.accountId;
      const what = 'prompt' in sent ? { prompt: { ...sent.prompt, target, scope } } : sent;
      return { tokens: await deps.engine.tokenize({ baseModelId, scope, input: what }, signal), maxContextTokens };
    },
    async detokenize(exchange, read) {
      const { admitted, input, signal } = await admitCounting(exchange, read);
      const { baseModel } = resolve(deps, admitted, input.model);
      const { tokens } = input;
      return deps.engine.detokenize({ baseModelId: baseModel.id, scope: admitted.accountId, tokens }, signal);
    },
    async stored(request) {
      // Also where nothing is stored, nobody learns so without a key.
      const admitted = await admit(request);
      return deps.storedResponses?.of(admitted) ?? nothingStored;
    },
  };
}

/** What an image takes only the engine knows that reads it. */
function refuseImages({ messages }: TextRequest['prompt']): void {
  const [image] = imagesOf(messages);
  if (!image) return;
  const { param } = image;
  throw fault('invalid_request', { param, message: `${param}: tokens of images cannot be counted in advance` });
}

type Counting = { admitted: Admitted; counted: Pick<TextRequest, 'model' | 'prompt'>; reply: FastifyReply };

/** What is prepared is what a call would run, so the count is what it would be charged for. */
async function countPrompt(deps: InferenceDeps, { admitted, counted, reply }: Counting): Promise<number> {
  const { engine } = deps;
  const { target } = resolveText(deps, admitted, counted.model);
  refuseImages(counted.prompt);
  const { signal } = watchCaller(reply);
  const { handle, promptTokens } = await engine.prepareChat(
    { ...counted.prompt, target, scope: admitted.accountId },
    signal,
  );
  engine.release(handle);
  if (promptTokens > 0) return promptTokens;
  throw fault('capacity_unavailable', {
    message: 'Nobody can count the tokens of this model: its serving route does not, and it is not installed here.',
  });
}
