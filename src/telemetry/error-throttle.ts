import type { LogFn, Logger } from 'pino';
import { isFields, LogThrottle, type LogThrottleOptions, messageOf, systemCodeOf } from '#kernel';

type Line = { logger: Logger; method: LogFn; entry: Entry; message: string };
type Entry = { err: unknown };
type Hook = (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void;
type Time = Partial<Pick<LogThrottleOptions<Line>, 'nowMs' | 'later'>>;

const everyMs = 60_000;
const warnLevel = 40;

/**
 * What works in the background tries again every few seconds: while the database was away, a server that nobody called wrote 600 MB
 * of log a day. Of lines that say nothing but the same error there is one a minute, with the number of the others.
 */
export function createErrorThrottle(time: Time = {}): Hook {
  const throttle = new LogThrottle<Line>({
    log: ({ logger, method, entry, message }, others) =>
      method.call(logger, others === 0 ? entry : { ...entry, similar: others }, message),
    ...time,
    everyMs,
  });
  return function log(args, method, level) {
    const [entry, message] = args;
    if (level < warnLevel || !isThrottled(entry) || typeof message !== 'string') return method.apply(this, args);
    const { err, ...about } = entry;
    const name = JSON.stringify([message, about, systemCodeOf(err), messageOf(err)]).slice(0, 2_000);
    throttle.take({ name, wider: message, atOnce: 1 }, { logger: this, method, entry, message });
  };
}

/** What a room does from time to time, and which server; whatever names a request, a job or an account is a line of its own. */
const ofRooms = new Set(['err', 'task', 'instanceId']);

function isThrottled(entry: unknown): entry is Entry {
  return isFields(entry) && 'err' in entry && Object.keys(entry).every((name) => ofRooms.has(name));
}
