import { flushCompileCache } from 'node:module';
import { messageOf } from '#kernel';
import { endNow, receiveMessages, sendToParent } from '#processes';
import { ChildEngine } from './child-engine.ts';
import type { ChildConfig, FromChild, ToChild } from './protocol.ts';

const freeingMs = 2_000;

function main(): void {
  let engine: ChildEngine | null = null;
  receiveMessages<ToChild>((message) => {
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
      send: sendToParent,
      nativeWorkIsOrdered: process.env['UV_THREADPOOL_SIZE'] === '1',
      failed: crash,
    });
    const { dimensions, format, systemInfo, runsOn } = engine;
    const loadMs = performance.now() - beganMs;
    const ready: FromChild = { type: 'ready', dimensions, format, loadMs, systemInfo, runsOn };
    sendToParent(ready);
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
  setTimeout(endNow, freeingMs).unref();
  await engine?.close();
  exit();
}

function crash(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
  exit();
}

function exit(): void {
  process.exit();
}

main();
