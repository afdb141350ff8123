import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import type { LiveAnswer } from './live-answer.ts';
import type { MessageRow } from './messages.store.ts';
import { requestStop, stopWaiting } from './turns.store.ts';
import { messageIn } from './turns.ts';

/** Another process learns of it when it next writes, which is soon. */
const timeoutMs = 5_000;
const pauseMs = 50;

/**
 * Ends an answer that is being made, here or by another process, and gives it as it is then. What is over already stays
 * as it is. Throws `not_found`.
 */
export async function stopAnswer(
  { sql, running }: { sql: Sql; running: ReadonlyMap<string, LiveAnswer> },
  chatId: string,
  id: string,
): Promise<MessageRow> {
  const message = await messageIn(sql, chatId, id);
  if (message.state !== 'queued' && message.state !== 'streaming') return message;
  if (await requestStop(sql, id)) running.get(id)?.askToStop();
  else await stopWaiting(sql, id);
  return untilOver(sql, chatId, id);
}

async function untilOver(sql: Sql, chatId: string, id: string): Promise<MessageRow> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const message = await messageIn(sql, chatId, id);
    if (!message.isRunning || performance.now() > until) return message;
    await sleep(pauseMs);
  }
}
