import type { Schemas } from './generated/contract.ts';

/** Why a request failed: the error of the API, or a lost connection. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** 0: no response came. */
  readonly status: number;
  readonly code: string;
  /** The field that caused it. */
  readonly param: string | null;
  readonly details: Record<string, unknown> | null;
  readonly requestId: string | null;
  readonly retryAfterS: number | null;
  /** Whether it is a call of a model, which the page of requests shows by its request id. */
  readonly isCall: boolean;

  constructor(facts: ProblemOptions) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.param = facts.param ?? null;
    this.details = facts.details ?? null;
    this.requestId = facts.requestId ?? null;
    this.retryAfterS = facts.retryAfterS ?? null;
    this.isCall = facts.isCall ?? false;
  }
}

type ProblemOptions = {
  status: number;
  code: string;
  message: string;
  param?: string | null;
  details?: Record<string, unknown> | null;
  requestId?: string | null;
  retryAfterS?: number | null;
  isCall?: boolean;
};

export async function problemOf(response: Response, isCall = false): Promise<Problem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const common = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null,
    isCall,
  };
  const error = errorIn(await response.json().catch(() => null));
  if (!error) return new Problem({ ...common, code: 'unexpected_answer', message: `HTTP ${response.status}` });
  const { code, message, param, details } = error;
  return new Problem({ ...common, code, message, param, details });
}

function errorIn(body: unknown): Schemas['Error']['error'] | null {
  const isError =
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object' && body.error;
  // as: every error of the API has this shape; an error page of a proxy does not.
  return isError ? (body as Schemas['Error']).error : null;
}

export function lostConnection(): Problem {
  return new Problem({ status: 0, code: 'offline', message: 'The server could not be reached.' });
}

/**
 * Reads a body. The connection may break meanwhile: WebKit then gives half of the JSON. A body that is no JSON at all
 * comes from a proxy.
 */
export function readBody<Body>(reading: Promise<Body>): Promise<Body> {
  return reading.catch((error: unknown) => {
    // Messages differ between browsers. An aborted request is neither type.
    throw error instanceof TypeError || error instanceof SyntaxError ? lostConnection() : error;
  });
}

export function isProblem(error: unknown, code?: string): error is Problem {
  return error instanceof Problem && (code === undefined || error.code === code);
}
