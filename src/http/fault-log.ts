import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { Alike, type AlikeOptions, Fault, isFields, systemClock } from '#kernel';

/** Tells the operator of calls that failed. */
export type FaultLog = {
  /** `what` is the message of the line, by default what the caller is told. */
  tell: (request: FastifyRequest, problem: Fault, what?: string) => void;
  /** Tells what has been held back. */
  end: () => void;
};

declare module 'fastify' {
  interface FastifyInstance {
    faultLog: FaultLog;
  }
}

type Line = { level: 'warn' | 'error'; entry: object; message: string };

type Time = Pick<AlikeOptions<Line>, 'nowMs' | 'later'>;

const realTime: Time = {
  nowMs: systemClock.monotonicMs,
  later: (ms, run) => void setTimeout(run, ms).unref(),
};

const everyMs = 10_000;
const mostKinds = 200;
/** Each defect is worth a line, unless it shows itself in every call. */
const defectsAtOnce = 10;

/**
 * Defects, and what failed while a model worked, are told with their stack. Where it only refuses (an engine or the database is
 * away), the stack leads to the refusal and not to the cause: it is left out, and one line stands for all that are alike
 * for some seconds, or an outage under load would fill the disk.
 */
export function createFaultLog(log: FastifyBaseLogger, time: Time = realTime): FaultLog {
  const alike = new Alike<Line>({
    tell: ({ level, entry, message }, others) =>
      log[level](others === 0 ? entry : { ...entry, alike: others }, message),
    ...time,
    everyMs,
    mostKinds,
  });
  return {
    tell(request, problem, what = problem.message) {
      const { cause } = problem.options;
      // A stream that has begun names every failure alike.
      const origin = cause instanceof Fault ? cause : problem;
      const isRefusal = origin.row.status !== 500;
      const operation = request.routeOptions.config.operation ?? null;
      const { code } = problem.row;
      const internal = problem.options.internal ?? origin.options.internal;
      const reason = withoutStack(cause);
      const err = isRefusal ? reason : (cause ?? problem);
      alike.take(
        {
          name: JSON.stringify([what, code, operation, internal, reason]).slice(0, 2_000),
          wider: `${problem.fault} ${origin.fault}`,
          atOnce: isRefusal ? 1 : defectsAtOnce,
        },
        {
          level: origin.fault === 'internal_error' ? 'error' : 'warn',
          entry: { requestId: request.id, operation, code, internal, err },
          message: what,
        },
      );
    },
    end: () => alike.end(),
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
