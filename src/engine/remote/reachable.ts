import { connect } from 'node:net';
import { afterPatience } from './patience.ts';

/** Nobody is there to refuse a connection. A refusal, a name that is not found and everything else prove nothing of the kind. */
const nobodyThere = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH']);

/**
 * Whether the machine at this address answers a new connection, be it with a refusal. False only when nothing at all comes back:
 * an engine that is busy, or stands still, is reached all the same, because its kernel takes the connection.
 */
export function isReachable(url: string, patienceMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
    const callOff = afterPatience(patienceMs, () => end(false));
    const end = (isThere: boolean) => {
      callOff();
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('error', (error) => end(!isUnanswered(error)));
  });
}

/** Of a name with several addresses, each. */
export function isUnanswered(error: Error & { code?: string; errors?: unknown[] }): boolean {
  const { code, errors } = error;
  if (Array.isArray(errors) && errors.length > 0)
    return errors.every((each) => each instanceof Error && isUnanswered(each));
  return code !== undefined && nobodyThere.has(code);
}
