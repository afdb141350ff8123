import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { Fault, isFields, LogThrottle, type LogThrottleOptions } from '#kernel';

/** Logs calls that failed, for the operator. */
export type FaultLog = {
  /** `message`: by default that of the answer. */
  record: (request: FastifyRequest, problem: Fault, message?: string) => void;
  /** Logs what has been held back. */
  flush: () => void;
};

declare module 'fastify' {
  interface FastifyInstance {
    faultLog: FaultLog;
  }
}

type Line = { level: 'warn' | 'error'; entry: object; message: string };

type Time = Partial<Pick<LogThrottleOptions<Line>, 'nowMs' | 'later'>>;

const everyMs = 10_000;
/** Each defect is worth a line, unless it shows itself in every call. */
const defectsAtOnce = 10;

/**
 * Defects, and what failed while a model worked, are logged with their stack. Where it only refuses (an engine or the database is
 * away), the stack leads to the refusal and not to the cause: it is left out, and one line stands for all similar ones
 * for some seconds, or an outage under load would fill the disk.
 */
export function createFaultLog(log: FastifyBaseLogger, time: Time = {}): FaultLog {
  const throttle = new LogThrottle<Line>({
    log: ({ level, entry, message }, others) =>
      log[level](others === 0 ? entry : { ...entry, similar: others }, message),
    ...time,
    everyMs,
  });
  return {
    record(request, problem, message = problem.message) {
      const { cause } = problem.options;
      // A stream that has begun names every failure alike.
      const origin = cause instanceof Fault ? cause : problem;
      const isRefusal = origin.row.status !== 500;
      const operation = request.routeOptions.config.operation ?? null;
      const { code } = problem.row;
      const internal = problem.options.internal ?? origin.options.internal;
      const reason = withoutStack(cause);
      const err = isRefusal ? reason : (cause ?? problem);
      throttle.take(
        {
          name: JSON.stringify([message, code, operation, internal, reason]).slice(0, 2_000),
          wider: `${problem.fault} ${origin.fault}`,
          atOnce: isRefusal ? 1 : defectsAtOnce,
        },
        {
          level: origin.fault === 'internal_error' ? 'error' : 'warn',
          entry: { requestId: request.id, operation, code, internal, err },
          message,
        },
      );
    },
    flush: () => throttle.flush(),
  };
}

const deepestCause = 5;

function withoutStack(error: unknown, depth = 0): unknown {
  if (!isFields(error)) return error === undefined ? undefined : String(error);
  const { name, message, code, constraint, cause } = error;
  const reason = { name, message, code: textOf(code), constraint: textOf(constraint) };
  return depth === deepestCause ? reason : { ...reason, cause: withoutStack(cause, depth + 1) };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
