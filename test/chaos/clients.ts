import { setTimeout as sleep } from 'node:timers/promises';
import { faultRows } from '#kernel';
import { type Asked, callForms, callModel, type ProtocolRow, readingOf } from '#test/protocols.ts';

/**
 * What a client saw of one call. `unknown`: it was told that nobody knows whether it was served. `lost`: the connection broke before
 * the answer was complete, so it cannot know.
 */
export type Seen = {
  requestId: string | null;
  result: 'success' | 'failure' | 'unknown' | 'lost';
  status: number;
  /** Of the error, or its type; null: there was none, or it never came. */
  code: string | null;
  /** Its protocol. */
  protocol: string;
  /** A remote engine was asked. */
  isRemote: boolean;
  endedMs: number;
};

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
  const { row, asked, isRemote } = drawCall(random, remoteModel);
  const kind = { protocol: row.name, isRemote };
  let requestId: string | null = null;
  let status = 0;
  try {
    const response = await callModel(
      row,
      { origin: url(), owner: 'local', key, signal: AbortSignal.timeout(callMs) },
      asked,
    );
    requestId = response.headers.get('x-request-id');
    status = response.status;
    const text = await response.text();
    // What has no name of ours is the balancer's own word for a connection that broke.
    if (requestId === null) return { requestId, status, ...kind, result: 'lost', code: null };
    return { requestId, status, ...kind, ...judge(row, asked, { status, text }) };
  } catch {
    return { requestId, status, ...kind, result: 'lost', code: null };
  }
}

function judge(
  row: ProtocolRow,
  asked: Asked,
  { status, text }: { status: number; text: string },
): Pick<Seen, 'result' | 'code'> {
  if (status === 200 && readingOf(row, asked).isWhole(text)) return { result: 'success', code: null };
  const code = row.errorIn(text);
  if (status === 200 && code === null) return { result: 'lost', code: null };
  const { code: unknown, status: unknownStatus, message } = faultRows.ambiguous_transport;
  // Where there are no codes, a stream that broke off tells conditions of one type apart in words only.
  const isUnknown = code === unknown || status === unknownStatus || text.includes(message);
  return { result: isUnknown ? 'unknown' : 'failure', code };
}

const textForms = callForms.filter(({ row }) => row.kind === 'text');

function drawCall(random: () => number, remoteModel?: string): { row: ProtocolRow; asked: Asked; isRemote: boolean } {
  const isRemote = remoteModel !== undefined && random() < 0.4;
  const drawn = isRemote ? textForms : callForms;
  const form = drawn[Math.floor(random() * drawn.length)];
  if (form === undefined) throw new Error('random() must be below 1.');
  const { row, stream } = form;
  const text = row.kind === 'text' ? 'Hello!' : `How much is lamp ${Math.floor(random() * 100)}?`;
  const asked = { text, stream, maxTokens: 1 + Math.floor(random() * 60) };
  return { row, asked: isRemote ? { ...asked, model: remoteModel } : asked, isRemote };
}
