import { flushCompileCache } from 'node:module';
import { messageOf } from '#kernel';
import type { RequestMessage, ResponseMessage } from './request-process.ts';

/**
 * The beginning of a program that a `NodeProcess` runs: takes its messages, and ends it when the server is gone. Signals that a terminal
 * or a service manager sends to the whole group are for the server, which ends its children itself.
 */
export function receiveMessages<Received>(take: (message: Received) => void): void {
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  // Native code may be at work, which an orderly exit would run into.
  process.on('disconnect', endNow);
  // The server may have died while the program was loading.
  if (!process.connected) endNow();
  // as: the channel carries only what the server sends, typed by the protocol.
  process.on('message', (received) => take(received as Received));
}

export function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

export function sendToParent(message: object): void {
  // A channel that has closed ends this process.
  process.send?.(message, undefined, undefined, () => {});
}

export function serveRequests<Request, Response>(answer: (request: Request) => Response | Promise<Response>): void {
  let last: Promise<void> = Promise.resolve();
  let isFlushed = false;
  const send = (message: ResponseMessage<Response>) => sendToParent(message);
  const respond = async (id: number, request: Request) => {
    try {
      send({ type: 'response', id, response: await answer(request) });
    } catch (error) {
      send({ type: 'failed', id, message: messageOf(error) });
    }
    if (!isFlushed) setImmediate(() => flushCompileCache());
    isFlushed = true;
  };
  receiveMessages<RequestMessage<Request>>(({ id, request }) => {
    last = last.then(() => respond(id, request));
  });
  // A process that is killed stores nothing of what was compiled for it.
  flushCompileCache();
  send({ type: 'ready' });
}
