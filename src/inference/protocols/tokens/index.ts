import { type Contract, openAiErrors } from '#http';
import { callPrefix, type Protocol } from '../../protocol.ts';
import { readDetokenizeRequest, readTokenizeRequest } from './tokenize-request.ts';
import { detokenizeContract, tokenizeContract } from './tokens.contract.ts';

const base = `${callPrefix}/openai/v1`;

/** POST P/tokenize and P/detokenize, which run no model. */
export const tokens: Protocol = {
  name: 'tokens',
  errors: openAiErrors,
  calls: [],
  routes(app, { tokenize, detokenize }) {
    const config = (operation: string, contract: Contract) =>
      ({ operation, access: 'admission', envelope: openAiErrors, contract, json: { exact: ['tools'] } }) as const;

    app.post(`${base}/tokenize`, { config: config('tokens.tokenize', tokenizeContract) }, async (request, reply) => {
      const { tokens, maxContextTokens } = await tokenize({ request, reply }, readTokenizeRequest);
      return { tokens, count: tokens.length, max_model_len: maxContextTokens };
    });

    app.post(
      `${base}/detokenize`,
      { config: config('tokens.detokenize', detokenizeContract) },
      async (request, reply) => ({ prompt: await detokenize({ request, reply }, readDetokenizeRequest) }),
    );
  },
};
