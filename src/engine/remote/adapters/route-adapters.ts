import type { Clock } from '#kernel';
import type { Adapter } from '../../port.ts';
import { readText, type Upstream, type UpstreamResponse } from '../upstream.ts';
import { type JsonFields, jsonIn } from '../wire.ts';
import type { AdapterFolder } from './adapter-folder.ts';

export type RouteLog = (level: 'info' | 'warn', message: string, fields: Record<string, unknown>) => void;

export type RouteAdapters = {
  has: (sha256: string) => boolean;
  /** Fields of a call that choose the adapter, which is loaded first. Throws `AdapterRefused`, `TransportError`. */
  fieldsFor: (adapter: Adapter, signal: AbortSignal) => Promise<JsonFields>;
  readonly baseFields: JsonFields;
  lose: (sha256: string) => void;
  /** The engine was away: nobody knows what it has. */
  forget: () => void;
};

export type RouteAdaptersOptions = {
  routeId: string;
  upstream: Upstream;
  folder: AdapterFolder;
  clock: Clock;
  log: RouteLog;
};

/** An engine does not serve an adapter; nothing of the call has run. */
export class AdapterRefused extends Error {
  override readonly name = 'AdapterRefused';
}

/** While an adapter is used, its file is marked so often; what has no marks for a month is removed . */
export const markEveryMs = 60_000;

export const namePrefix = 'fanfold-';

/** An engine's name of an adapter. It contains the digest, so that another adapter never answers under it. */
export const adapterName = (sha256: string) => `${namePrefix}${sha256}`;

export function refuseFolder(error: unknown): never {
  throw new AdapterRefused(`The adapter cannot be written to the shared folder: ${String(error)}`, { cause: error });
}

export async function sendForText(
  send: () => Promise<UpstreamResponse>,
): Promise<{ status: number; text: string; json: unknown }> {
  try {
    const { status, body } = await send();
    const text = await readText(body);
    return { status, text, json: jsonIn(text) };
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
    throw new AdapterRefused('The engine did not answer a request about adapters in time.', { cause: error });
  }
}
