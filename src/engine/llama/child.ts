import { flushCompileCache } from 'node:module';
import { messageOf } from '#kernel';
import { ChildEngine } from './child-engine.ts';
import type { ChildConfig, FromChild, ToChild } from './protocol.ts';

/** Bound for freeing the model; the parent kills after a little more. */
const freeingMs = 2_000;

/** The program of an engine child: one model, driven over the channel by the process that forked it (`protocol.ts`). */
function main(): void {
  let engine: ChildEngine | null = null;
  // A terminal or a service manager signals the whole group; the server drains first and then says `stop`.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  // Nobody is left to answer. Native work may be under way, which an orderly exit would run into: end at once.
  process.on('disconnect', end);
  // The channel carries only what the parent sends, typed by the protocol.
  process.on('message', (received) => {
    const message = received as ToChild;
    if (message.type === 'load') void load(message.config).then((loaded) => (engine = loaded));
    else if (message.type === 'stop') void stop(engine);
    else engine?.receive(message);
  });
}

async function load(config: ChildConfig): Promise<ChildEngine | null> {
  const beganMs = performance.now();
  try {
    const engine = await ChildEngine.open({
      config,
      send,
      nativeWorkIsOrdered: process.env['UV_THREADPOOL_SIZE'] === '1',
      failed: crash,
    });
    const { dimensions, toolSyntax, systemInfo } = engine;
    send({ type: 'ready', dimensions, toolSyntax, loadMs: performance.now() - beganMs, systemInfo });
    // Whoever is killed keeps nothing of what was compiled for him, and the next model may start beside this one.
    flushCompileCache();
    return engine;
  } catch (error) {
    process.exitCode = 1;
    process.send?.({ type: 'load_failed', message: messageOf(error) }, exit);
    return null;
  }
}

async function stop(engine: ChildEngine | null): Promise<void> {
  // A step that takes too long, or native code that hangs, must not keep the process.
  setTimeout(end, freeingMs).unref();
  await engine?.close();
  exit();
}

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

function send(message: FromChild): void {
  // A channel that has closed ends this process: see 'disconnect'.
  process.send?.(message, undefined, undefined, ignore);
}

function ignore(): void {}

function crash(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
  exit();
}

function exit(): void {
  process.exit();
}

main();
