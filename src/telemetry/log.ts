import { type DestinationStream, type Logger, pino } from 'pino';
import { isFields } from '#kernel';
import { createErrorThrottle } from './error-throttle.ts';

/**
 * The log: JSON lines on one stream. Texts of callers are never logged on purpose. What could slip in with an error
 * or an object is removed here: of errors only what tells the cause is kept, and fields that are named like secrets
 * are blanked.
 */
export function createLog({ level, stream }: { level: string; stream: DestinationStream }): Logger {
  const throttleErrors = createErrorThrottle();
  return pino(
    {
      level,
      redact: { paths: secretPaths(), censor: '[secret]' },
      serializers: { err: errorToLog },
      hooks: { logMethod: throttleErrors },
    },
    stream,
  );
}

const secrets = [
  'authorization',
  'cookie',
  '"set-cookie"',
  '"x-api-key"',
  'password',
  'current_password',
  'new_password',
  'key',
  'secret',
  'token',
  'databaseUrl',
];

function secretPaths(): string[] {
  return secrets.flatMap((name) =>
    name.startsWith('"') ? [`[${name}]`, `*[${name}]`] : [name, `*.${name}`, `*.*.${name}`],
  );
}

type LoggedError = {
  type: string;
  message: string;
  code?: string;
  constraint?: string;
  stack?: string;
  cause?: LoggedError;
};

const deepestCause = 5;

/**
 * What tells the cause of an error, and no more. Errors of the database carry whole rows in `detail` and `where`, those of
 * HTTP clients the headers that they sent: none of it belongs into a log.
 */
function errorToLog(error: unknown, depth = 0): LoggedError {
  if (!isErrorLike(error)) return { type: typeof error, message: String(error).slice(0, 500) };
  const { code, constraint } = error;
  // Data exceptions quote the value at fault, in the message and so in the stack.
  const shown = isDataException(code)
    ? (text: string) => text.replace(/: "[\s\S]*"/, ': "..."')
    : (text: string) => text;
  return {
    type: error.name ?? 'Error',
    message: shown(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(error.stack === undefined ? {} : { stack: shown(error.stack) }),
    ...(error.cause === undefined || depth === deepestCause ? {} : { cause: errorToLog(error.cause, depth + 1) }),
  };
}

type ErrorLike = {
  message: string;
  name?: string;
  stack?: string;
  cause?: unknown;
  code?: unknown;
  constraint?: unknown;
};

/** An error, or the copy of its fields that the job queue tells of. */
function isErrorLike(error: unknown): error is ErrorLike {
  return error instanceof Error || (isFields(error) && typeof error['message'] === 'string');
}

/** SQLSTATE class 22. */
const isDataException = (code: unknown): boolean => typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code);
