import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerBody } from '../answer-body.ts';

/** A call that did not get an answer with a status, or not all of it. */
export class TransportError extends Error {
  /** The request cannot have been read: it may go elsewhere. */
  readonly neverSent: boolean;

  constructor(cause: unknown, { neverSent }: { neverSent: boolean }) {
    super(reasonOf(cause), { cause });
    this.neverSent = neverSent;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as Error & { code?: string };
  return code === undefined ? error.message : `${code}: ${error.message}`;
}

export type Answer = { status: number; headers: IncomingHttpHeaders; body: AnswerBody };

export type Request = {
  method: 'GET' | 'POST';
  path: string;
  /** JSON. */
  body: string | null;
  /** Its connection carries nothing after it, and the server is told so. */
  isLast?: boolean;
};

export type Connections = {
  send: (request: Request, signal: AbortSignal) => Promise<Answer>;
  /** Ends whatever was sent and has no answer, or not all of it, as if its connection had been lost. */
  giveUp: (why: string) => void;
  close: () => Promise<void>;
};

export type ConnectionsOptions = { most: number; secret: string | null; bounds?: Partial<Bounds> };

export type Bounds = typeof usualBounds;

export const usualBounds = {
  connectMs: 3_000,
  /** Long prompts on busy engines; a caller that waits no more aborts earlier. */
  answerMs: 10 * 60_000,
  /** Shorter than servers keep idle connections (vLLM: 5 s), so that none is used while the other side closes it. */
  idleMs: 3_000,
  /** A peer that acknowledges nothing for this long and ten seconds more has vanished, however idle the connection was. */
  probeAfterMs: 15_000,
  mostAnswerBytes: 64 * 1024 * 1024,
};

/** Header fields of every request. */
export function fieldsOf(secret: string | null): Record<string, string> {
  return { 'user-agent': 'fanfold', accept: '*/*', ...(secret === null ? {} : { authorization: `Bearer ${secret}` }) };
}

export type Settle = { resolve: (answer: Answer) => void; reject: (error: unknown) => void };
