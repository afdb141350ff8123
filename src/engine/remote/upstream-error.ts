import { type Fault, fault } from '#kernel';
import type { Adapter } from '../port.ts';
import { adapterName } from './adapters/route-adapters.ts';
import type { EngineDialect } from './dialect.ts';
import { readText, type UpstreamResponse } from './upstream.ts';

export type Refusal =
  /** Nothing ran, and another route may take the call. */
  | { kind: 'elsewhere'; reason: string; isDown: boolean; retryAfterSeconds: number | null; isLoading: boolean }
  /** The engine does not have the adapter that it was to answer with. Nothing ran. */
  | { kind: 'adapter_lost'; reason: string }
  /** The request itself is at fault, wherever it is sent. */
  | { kind: 'final'; error: Fault };

const mostTextBytes = 64 * 1024;

export async function refusalOf(
  response: UpstreamResponse,
  { param, adapter, dialect }: { param: string; adapter: Adapter | null; dialect: EngineDialect },
): Promise<Refusal> {
  const { contextExceeded, modelMissing, modelLoading } = dialect.errors;
  const text = await textOf(response);
  const { status } = response;
  const message = messageIn(text);
  const isTooLong = message !== null && contextExceeded.test(message);
  const reason = `The engine answered ${status}: ${text.slice(0, 300)}`;
  if (adapter && isNotLoaded(adapter, dialect, { status, text })) return { kind: 'adapter_lost', reason };
  if (status === 429 || status === 503) {
    const retryAfterSeconds = secondsOf(response.headers['retry-after']);
    return { kind: 'elsewhere', reason, isDown: false, retryAfterSeconds, isLoading: modelLoading.test(text) };
  }
  if (status === 400 || status === 413 || status === 422) {
    // Its words may be the caller's own, which must not take a route down.
    if (status === 400 && modelMissing.test(message ?? '')) return misplaced(reason, { isDown: false });
    return { kind: 'final', error: invalid({ message, isTooLong, param, internal: reason }) };
  }
  // llama.cpp's server answers so to an input that is too large for it.
  if (status === 500 && isTooLong)
    return { kind: 'final', error: invalid({ message, isTooLong, param, internal: reason }) };
  // The wrong secret, the wrong path or name of the model: this route is set up wrongly, and nothing ran.
  if (status >= 300 && status < 500 && status !== failedAtWork) return misplaced(reason, { isDown: true });
  return { kind: 'final', error: fault('generation_failed', { internal: reason }) };
}

/** TEI's and TGI's status where the model itself has failed. */
const failedAtWork = 424;

function misplaced(reason: string, { isDown }: { isDown: boolean }): Refusal {
  return { kind: 'elsewhere', reason, isDown, retryAfterSeconds: null, isLoading: false };
}

/** Nothing has run: the adapter can be loaded, and the call sent again. */
function isNotLoaded(
  { sha256 }: Adapter,
  { adapters }: EngineDialect,
  { status, text }: { status: number; text: string },
): boolean {
  if (!adapters?.isNotLoaded || (status !== 404 && status !== 400)) return false;
  return text.includes(adapterName(sha256)) && adapters.isNotLoaded.test(text);
}

type InvalidRequest = { message: string | null; isTooLong: boolean; param: string; internal: string };

/** A context that is too long is explained in words that clients know. */
function invalid({ message, isTooLong, param, internal }: InvalidRequest): Fault {
  if (!isTooLong)
    return fault('invalid_request', {
      message: message ?? 'The engine of this model does not take this request.',
      internal,
    });
  return fault('invalid_request', {
    param,
    message: `This model's maximum context length is exceeded. ${message}`,
    internal,
  });
}

function messageIn(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    for (const path of [['error', 'message'], ['message'], ['detail'], ['error']]) {
      const found = path.reduce<unknown>((at, name) => (at as Record<string, unknown> | null)?.[name], value);
      if (typeof found === 'string' && found !== '') return found.slice(0, 500);
    }
  } catch {
    // A page or nothing at all.
  }
  return null;
}

async function textOf({ body }: UpstreamResponse): Promise<string> {
  return readText(body, mostTextBytes).catch(() => '');
}

function secondsOf(header: string | string[] | undefined): number | null {
  const seconds = Number(Array.isArray(header) ? header[0] : header);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(59, Math.ceil(seconds)) : null;
}
