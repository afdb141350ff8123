import { setTimeout as sleep } from 'node:timers/promises';

/** What a client saw of one call. `lost`: the connection broke before the answer was complete, so it cannot know. */
export type Seen = { requestId: string | null; result: 'success' | 'failure' | 'lost'; status: number; kind: CallKind };
export type CallKind = 'json' | 'stream' | 'embedding';

export type ClientOptions = {
  /** Asked for every call, because the program may have been restarted. */
  url: () => string;
  key: string;
  clients: number;
  /** Stops all clients after their present call. */
  signal: AbortSignal;
  /** Seeded, so that a run can be repeated. */
  random: () => number;
};

const callMs = 30_000;

/** Calls without pause from `clients` sides until the signal, and notes what every call came to. */
export async function runClients(options: ClientOptions): Promise<Seen[]> {
  const seen: Seen[] = [];
  const client = async () => {
    while (!options.signal.aborted) {
      const result = await callOnce(options);
      seen.push(result);
      // While nothing listens, a client must not spin.
      if (result.result !== 'success') await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: options.clients }, client));
  return seen;
}

async function callOnce({ url, key, random }: ClientOptions): Promise<Seen> {
  const kind = pickKind(random());
  const { path, body } = requestOf(kind, random);
  let requestId: string | null = null;
  let status = 0;
  try {
    const response = await fetch(`${url()}/api/projects/local/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callMs),
    });
    requestId = response.headers.get('x-request-id');
    status = response.status;
    const text = await response.text();
    return { requestId, status, kind, result: judge(kind, status, text) };
  } catch {
    return { requestId, status, kind, result: 'lost' };
  }
}

function judge(kind: CallKind, status: number, text: string): Seen['result'] {
  if (status !== 200) return 'failure';
  if (kind !== 'stream') return 'success';
  if (text.endsWith('data: [DONE]\n\n')) return 'success';
  return text.includes('data: {"error":') ? 'failure' : 'lost';
}

function pickKind(value: number): CallKind {
  if (value < 0.4) return 'json';
  return value < 0.8 ? 'stream' : 'embedding';
}

function requestOf(kind: CallKind, random: () => number): { path: string; body: object } {
  if (kind === 'embedding') {
    return {
      path: 'search/openai/v1/embeddings',
      body: { model: 'search', input: `How much is lamp ${Math.floor(random() * 100)}?` },
    };
  }
  return {
    path: 'chat/openai/v1/chat/completions',
    body: {
      model: 'chat',
      messages: [{ role: 'user', content: 'Hello!' }],
      max_tokens: 1 + Math.floor(random() * 60),
      stream: kind === 'stream',
    },
  };
}
