import { messageOf } from '#kernel';
import { scan } from './scan.ts';
import type { FromScanner, ToScanner } from './scan-protocol.ts';

/** The program of the child that searches: native code that fails takes no call with it, and no search stalls the server. */
function main(): void {
  let turn = Promise.resolve();
  // A terminal or a service manager signals the whole group; the server ends this process itself.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', end);
  // as: the channel carries only what the parent sends, typed by the protocol.
  process.on('message', (received) => {
    turn = turn.then(() => answer(received as ToScanner));
  });
}

async function answer({ id, ...request }: ToScanner): Promise<void> {
  try {
    send({ type: 'found', id, ...(await scan(request)) });
  } catch (error) {
    send({ type: 'failed', id, message: messageOf(error) });
  }
}

function send(message: FromScanner): void {
  // A channel that has closed ends this process: see 'disconnect'.
  process.send?.(message, undefined, undefined, () => {});
}

/** Nothing here needs an orderly end. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

main();
