import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What a client saw of one call. `unknown`: it was told that nobody knows whether it was served. `lost`: the connection broke before
 * the answer was complete, so it cannot know.
 */
export type Seen = {
  requestId: string | null;
  result: 'success' | 'failure' | 'unknown' | 'lost';
  status: number;
  /** Of the error; null: there was none, or it never came. */
  code: string | null;
  kind: CallKind;
  endedMs: number;
};
export type CallKind = 'json' | 'stream' | 'embedding' | 'remote json' | 'remote stream';

export type ClientOptions = {
  /** Asked for every call, because the program may have been restarted. */
  url: () => string;
  key: string;
  clients: number;
  /** Told of every call that ended. */
  note?: (seen: Seen) => void;
  /** Stops all clients after their present call. */
  signal: AbortSignal;
  /** Seeded, so that a run can be repeated. */
  random: () => number;
  /** A base model that some of the calls ask for, beside those that every installation has. */
  remoteModel?: string;
};

const callMs = 30_000;

/** Calls without pause from `clients` sides until the signal, and notes what every call came to. */
export async function runClients(options: ClientOptions): Promise<Seen[]> {
  const seen: Seen[] = [];
  const client = async () => {
    while (!options.signal.aborted) {
      const result = await callOnce(options);
      const ended = { ...result, endedMs: Date.now() };
      seen.push(ended);
      options.note?.(ended);
      // While nothing listens, a client must not spin.
      if (result.result !== 'success') await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: options.clients }, client));
  return seen;
}

async function callOnce({ url, key, random, remoteModel }: ClientOptions): Promise<Omit<Seen, 'endedMs'>> {
  const kind = remoteModel === undefined ? pickKind(random()) : pickAnyKind(random());
  const { path, body } = requestOf(kind, random, remoteModel);
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
    // What has no name of ours is the balancer's own word for a connection that broke.
    if (requestId === null) return { requestId, status, kind, result: 'lost', code: null };
    return { requestId, status, kind, ...judge(kind, status, text) };
  } catch {
    return { requestId, status, kind, result: 'lost', code: null };
  }
}

function judge(kind: CallKind, status: number, text: string): Pick<Seen, 'result' | 'code'> {
  const isStream = kind === 'stream' || kind === 'remote stream';
  if (status === 200 && (!isStream || text.endsWith('data: [DONE]\n\n'))) return { result: 'success', code: null };
  if (status === 200 && !text.includes('data: {"error":')) return { result: 'lost', code: null };
  const code = /"code":\s*"(\w+)"/.exec(text.slice(Math.max(0, text.lastIndexOf('{"error":'))))?.[1] ?? null;
  return { result: code === 'ambiguous_transport' ? 'unknown' : 'failure', code };
}

function pickKind(value: number): CallKind {
  if (value < 0.4) return 'json';
  return value < 0.8 ? 'stream' : 'embedding';
}

function pickAnyKind(value: number): CallKind {
  if (value < 0.6) return pickKind(value / 0.6);
  return value < 0.8 ? 'remote json' : 'remote stream';
}

function requestOf(kind: CallKind, random: () => number, remoteModel?: string): { path: string; body: object } {
  if (kind === 'embedding') {
    return {
      path: 'search/openai/v1/embeddings',
      body: { model: 'search', input: `How much is lamp ${Math.floor(random() * 100)}?` },
    };
  }
  return {
    path: 'chat/openai/v1/chat/completions',
    body: {
      model: kind.startsWith('remote') ? remoteModel : 'chat',
      messages: [{ role: 'user', content: 'Hello!' }],
      max_tokens: 1 + Math.floor(random() * 60),
      stream: kind.endsWith('stream'),
    },
  };
}
