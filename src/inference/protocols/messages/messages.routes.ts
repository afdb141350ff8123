import type { FastifyInstance } from 'fastify';
import type { Contract, TypeBoxProvider } from '#http';
import { Fault, fault } from '#kernel';
import type { HostedModel } from '#models';
import { callPrefix, type ProtocolContext } from '../../protocol.ts';
import { anthropicErrors } from './anthropic-errors.ts';
import { countContract } from './messages.contract.ts';
import { readCountRequest } from './messages-request.ts';
import { about, aboutContract, listContract, modelsQuery, retrieveContract } from './models.contract.ts';
import { pageOfModels } from './models-page.ts';
import { reword } from './reword.ts';
import type { ThinkingSignatures } from './thinking-signature.ts';

export const basePath = '/anthropic';

const base = `${callPrefix}${basePath}`;
const modelToWire = ({ alias, displayName, createdAt }: HostedModel) => ({
  type: 'model',
  id: alias,
  display_name: displayName,
  created_at: createdAt.toISOString(),
});

type Parts = { context: ProtocolContext; signatures: ThinkingSignatures };

/** What Anthropic's clients ask for beside messages. */
export function messagesRoutes(app: FastifyInstance, { context, signatures }: Parts): void {
  const { countPrompt, listModels } = context;
  const config = (operation: string, contract: Contract) =>
    ({ operation, access: 'admission', envelope: anthropicErrors, keyHeader: 'x-api-key', contract }) as const;

  app.post(
    `${base}/v1/messages/count_tokens`,
    {
      config: {
        ...config('messages.count_tokens', countContract),
        json: { exact: ['messages', 'tools', 'output_config', 'output_format'], badText: 'replace' },
      },
    },
    async (request, reply) => {
      try {
        const tokens = await countPrompt({ request, reply }, (body) => readCountRequest(body, signatures));
        return { input_tokens: tokens };
      } catch (error) {
        throw error instanceof Fault ? reword(error) : error;
      }
    },
  );

  app
    .withTypeProvider<TypeBoxProvider>()
    .get(
      `${base}/v1/models`,
      { config: config('messages.list_models', listContract), schema: { querystring: modelsQuery } },
      async (request) => pageOfModels((await listModels(request)).map(modelToWire), request.query),
    );

  app.get<{ Params: { id: string } }>(
    `${base}/v1/models/:id`,
    { config: config('messages.retrieve_model', retrieveContract) },
    async (request) => {
      const { id } = request.params;
      const model = (await listModels(request)).find(({ alias }) => alias === id);
      if (!model) throw fault('model_not_found', { param: 'model' });
      return modelToWire(model);
    },
  );

  aboutRoutes(app);
}

/** Clients write their base URL in several ways. */
function aboutRoutes(app: FastifyInstance): void {
  for (const [operation, path] of [
    ['messages.about', base],
    ['messages.about_folder', `${base}/`],
    ['messages.about_version', `${base}/v1`],
  ] as const) {
    const config = { operation, access: 'public', envelope: anthropicErrors, contract: aboutContract } as const;
    app.get(path, { config }, async () => about);
  }
}
