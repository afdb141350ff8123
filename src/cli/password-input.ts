import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OperatorError } from '#kernel';
import { note } from './terminal.ts';

/**
 * A new password: typed twice at a terminal, without showing it, or the first line of the standard input. Never an
 * argument: those are in the list of processes and in the shell's memory.
 */
export async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return firstLineOf(await text(process.stdin));
  const password = await ask('New password: ');
  if ((await ask('Once more: ')) === password) return password;
  throw new OperatorError('The two passwords differ; nothing was changed.');
}

function firstLineOf(input: string): string {
  const [line = ''] = input.split(/\r?\n/, 1);
  if (line === '') throw new OperatorError('There is no password on the standard input.');
  return line;
}

async function ask(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Not before nothing is shown of what is typed.
  process.stderr.write(question);
  // Ctrl-D leaves a question without an end.
  const closed = once(lines, 'close').then(() => null);
  try {
    // Ctrl-C breaks it off.
    const answer = await Promise.race([lines.question('').catch(() => null), closed]);
    if (answer !== null) return answer;
    throw new OperatorError('There is no password; nothing was changed.');
  } finally {
    lines.close();
    note('');
  }
}
