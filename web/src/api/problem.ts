import type { Schemas } from './generated/contract.ts';

/** Why a request failed: what the server says of it, or that it could not be reached. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** 0: no answer came. */
  readonly status: number;
  readonly code: string;
  /** The field that is to blame. */
  readonly param: string | null;
  readonly details: Record<string, unknown> | null;
  readonly requestId: string | null;
  readonly retryAfterS: number | null;

  constructor(facts: ProblemFacts) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.param = facts.param ?? null;
    this.details = facts.details ?? null;
    this.requestId = facts.requestId ?? null;
    this.retryAfterS = facts.retryAfterS ?? null;
  }
}

type ProblemFacts = {
  status: number;
  code: string;
  message: string;
  param?: string | null;
  details?: Record<string, unknown> | null;
  requestId?: string | null;
  retryAfterS?: number | null;
};

/** The problem that an answer tells of. */
export async function problemOf(response: Response): Promise<Problem> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const common = {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null,
  };
  const error = errorIn(await response.json().catch(() => null));
  if (!error) return new Problem({ ...common, code: 'unexpected_answer', message: `HTTP ${response.status}` });
  const { code, message, param, details } = error;
  return new Problem({ ...common, code, message, param, details });
}

function errorIn(body: unknown): Schemas['Error']['error'] | null {
  const isError =
    typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'object' && body.error;
  // as: every failure of the interface has this shape; what a proxy says instead has none.
  return isError ? (body as Schemas['Error']).error : null;
}

/** What could not be sent, or got no answer. */
export function lostConnection(): Problem {
  return new Problem({ status: 0, code: 'offline', message: 'The server could not be reached.' });
}

/**
 * What an answer holds, as it is read: the connection may break in the middle of it, too. Where WebKit tells nothing of that, half of
 * the JSON is left; what is no JSON at all comes from something that stands between us and the server.
 */
export function whole<Body>(reading: Promise<Body>): Promise<Body> {
  return reading.catch((error: unknown) => {
    // The words differ from browser to browser; what was given up is neither.
    throw error instanceof TypeError || error instanceof SyntaxError ? lostConnection() : error;
  });
}

export function isProblem(error: unknown, code?: string): error is Problem {
  return error instanceof Problem && (code === undefined || error.code === code);
}
