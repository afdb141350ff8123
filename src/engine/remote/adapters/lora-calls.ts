import { readText, type UpstreamResponse } from '../connection-pool.ts';
import type { ServingRoute } from '../serving-route.ts';
import type { Upstream } from '../upstream.ts';

/** An engine's name of an adapter. It holds the digest, so that another adapter never answers under it. */
export const adapterName = (sha256: string) => `${namePrefix}${sha256}`;

const namePrefix = 'fanfold-';
const loadMs = 60_000;
const askMs = 5_000;

/** An engine does not serve an adapter; nothing of the call has run. */
export class AdapterRefused extends Error {
  override readonly name = 'AdapterRefused';
}

/** Engines that load adapters while they run. SGLang has these routes beside OpenAI's, vLLM among them. */
export type LoadingApi = 'vllm' | 'sglang';

export function isLoading(api: ServingRoute['api']): api is LoadingApi {
  return api === 'vllm' || api === 'sglang';
}

const root = { vllm: '/', sglang: '//' };
/** What engines say that hold as many adapters as they may. */
const fullWords =
  /max_loaded_loras|max_(cpu_)?loras\b|maximum number of (loaded )?(lora|adapter)|no (free|available) (lora )?slot/i;
const knownWords = /already (been )?(loaded|exists?|added)/i;

/** `full`: it takes it when another one goes. Throws `AdapterRefused`, `TransportError`. */
export async function load(
  upstream: Upstream,
  { api, name, path }: { api: LoadingApi; name: string; path: string },
): Promise<'loaded' | 'full'> {
  const body = { lora_name: name, lora_path: path };
  const { status, text } = await ask(() =>
    upstream.post(`${root[api]}load_lora_adapter`, body, AbortSignal.timeout(loadMs)),
  );
  if (status === 200 && !/"success":\s*false/.test(text)) return 'loaded';
  if (knownWords.test(text)) return 'loaded';
  if (fullWords.test(text)) return 'full';
  throw new AdapterRefused(`The engine answered ${status} when it was to load an adapter: ${text.slice(0, 300)}`);
}

/** An adapter that is not there any more counts as unloaded. */
export async function unload(upstream: Upstream, { api, name }: { api: LoadingApi; name: string }): Promise<void> {
  const body = { lora_name: name };
  await ask(() => upstream.post(`${root[api]}unload_lora_adapter`, body, AbortSignal.timeout(loadMs)));
}

/** Names of the adapters of Fanfold that an engine lists among its models. */
export async function listLoaded(upstream: Upstream): Promise<string[]> {
  const { text } = await ask(() => upstream.get('/models', AbortSignal.timeout(askMs)));
  const data = fieldOf(parse(text), 'data');
  if (!Array.isArray(data)) return [];
  return data.flatMap((model: unknown) => {
    const id = fieldOf(model, 'id');
    return typeof id === 'string' && id.startsWith(namePrefix) ? [id] : [];
  });
}

/** Numbers of the adapters that llama.cpp's server was started with, by the names of their files. */
export async function listStarted(upstream: Upstream): Promise<Map<string, number>> {
  const { status, text } = await ask(() => upstream.get('//lora-adapters', AbortSignal.timeout(askMs)));
  const list = parse(text);
  if (status !== 200 || !Array.isArray(list)) {
    throw new AdapterRefused(`The engine answered ${status} when it was asked for its adapters.`);
  }
  return new Map(
    list.flatMap((entry: unknown): [string, number][] => {
      const [id, path] = [fieldOf(entry, 'id'), fieldOf(entry, 'path')];
      if (typeof id !== 'number' || typeof path !== 'string') return [];
      return [[path.slice(path.lastIndexOf('/') + 1), id]];
    }),
  );
}

/** Whether a refusal says that the adapter is not, or no longer, loaded; then nothing has run. */
export function isUnknown(status: number, text: string, name: string): boolean {
  const words = /does not exist|not found|cannot be found|never been loaded|not loaded|implicitly load/i;
  return (status === 404 || status === 400) && text.includes(name) && words.test(text);
}

async function ask(send: () => Promise<UpstreamResponse>): Promise<{ status: number; text: string }> {
  try {
    const { status, body } = await send();
    return { status, text: await readText(body) };
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
    throw new AdapterRefused('The engine did not answer in time when it was asked about adapters.', { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  // as: what is no object has none of the fields.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
