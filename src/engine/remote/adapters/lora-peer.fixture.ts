import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Chunk, delta, finish, type Got, startUpstream, stream, usage } from '../upstream.fixture.ts';

export type LoraPeerOptions = {
  api: 'vllm' | 'sglang';
  /** Adapters that it holds before it refuses more. */
  slots?: number;
  /** Whether it was started so that adapters can be loaded at all. */
  isOpen?: boolean;
};

type Request = { lora_name?: string; lora_path?: string; model?: string };

/**
 * A test peer on loopback that speaks the adapter routes of vLLM 0.32 or SGLang 0.5 as their sources have them, words of
 * refusals included. It runs no model: it answers with the name of what would have answered.
 */
export async function startLoraPeer({ api, slots = 8, isOpen = true }: LoraPeerOptions) {
  const held = new Map<string, string>();
  const runs: string[] = [];
  const prefix = api === 'vllm' ? '/v1' : '';

  const load = ({ lora_name: name = '', lora_path: path = '' }: Request): [number, unknown] => {
    if (held.has(name))
      return refuse(
        400,
        `The lora adapter '${name}' has already been loaded. If you want to load the adapter in place, set 'load_inplace' to True.`,
      );
    if (!existsSync(join(path, 'adapter_config.json')))
      return refuse(404, `Loading lora ${name} failed: No adapter found for ${path}`);
    if (held.size >= slots)
      return refuse(
        400,
        `Cannot load LoRA adapter ${name} at path ${path}. Maximum number of loaded LoRA adapters is ${slots}. Please unload some LoRA adapters before loading new ones.`,
      );
    held.set(name, path);
    return [200, api === 'vllm' ? `Success: LoRA adapter '${name}' added successfully.` : { success: true }];
  };
  const unload = ({ lora_name: name = '' }: Request): [number, unknown] =>
    held.delete(name) ? [200, { success: true }] : refuse(404, `The lora adapter '${name}' cannot be found.`);
  const refuse = (status: number, message: string): [number, unknown] =>
    api === 'vllm'
      ? [status, { error: { message, type: 'NotFoundError', code: status } }]
      : [400, { success: false, error_message: message }];

  const server = await startUpstream(
    ({ path, body }: Got, response) => {
      // as: what it is not falls through to a refusal.
      const request = body as Request;
      const say = ([status, value]: [number, unknown]) =>
        void response.writeHead(status).end(typeof value === 'string' ? value : JSON.stringify(value));
      if (isOpen && path === `${prefix}/load_lora_adapter`) return say(load(request));
      if (isOpen && path === `${prefix}/unload_lora_adapter`) return say(unload(request));
      if (path === '/tokenize') return say([200, { count: 3 }]);
      if (path !== '/v1/chat/completions') return say([404, { detail: 'Not Found' }]);
      const asked = api === 'vllm' ? request.model : (request.lora_path ?? request.model);
      if (asked !== 'theirs' && !held.has(asked ?? '')) {
        if (api === 'vllm') return say(refuse(404, `The model \`${asked}\` does not exist.`));
        return say([
          400,
          {
            object: 'error',
            message: `Got LoRA adapter that has never been loaded: ${asked}\nAll loaded adapters: ${[...held.keys()]}.`,
          },
        ]);
      }
      runs.push(asked ?? '');
      const counts = { prompt_tokens: 3, completion_tokens: 1 };
      if (body['stream'] === true) return stream(response, [delta({ content: asked }), finish('stop'), usage(counts)]);
      return say([
        200,
        {
          choices: [{ index: 0, message: { role: 'assistant', content: asked }, finish_reason: 'stop' }],
          usage: counts,
        },
      ]);
    },
    { models: () => ['theirs', ...held.keys()].map((id): Chunk => ({ id })) },
  );
  const loads = () =>
    server.got.filter(({ path }) => path.endsWith('/load_lora_adapter')).map(({ body }) => body as Request);
  /** Forgets everything, as a new start does. */
  const restart = () => held.clear();
  return { ...server, api, held, runs, loads, restart };
}
