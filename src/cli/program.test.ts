import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { UsageError } from '#kernel';
import { createProgram } from './program.ts';

const unread = () => assert.fail('the configuration was read');

/** A program that says nothing, and what it would have said. */
function quietProgram() {
  const program = createProgram({ config: unread, stop: () => AbortSignal.abort() });
  const parts: string[] = [];
  const keep = (part: string) => void parts.push(part);
  const quiet = (command: Command): void => {
    command.configureOutput({ writeOut: keep, writeErr: keep });
    command.commands.forEach(quiet);
  };
  quiet(program);
  return { program, printed: () => parts.join('') };
}

test('a command that does not exist is named and starts nothing', async () => {
  const program = createProgram({ config: unread, stop: () => AbortSignal.abort() });
  await assert.rejects(program.parseAsync(['dcotor'], { from: 'user' }), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(
      error.message,
      /^There is no command "dcotor"\. Did you mean doctor\? There are serve, keys, .*doctor.*, help\.$/,
    );
    return true;
  });
});

test('help for a command that does not exist names the nearest one, and prints nothing else', async () => {
  for (const [words, message] of [
    [['modles'], /^There is no command "modles"\. Did you mean models\? There are serve, keys,/],
    [['keys', 'craete'], /^There is no command "keys craete"\. Did you mean create\? There are create, list,/],
    [['keys', 'create', 'x'], /^There is no command "keys create x"\.$/],
    [['xyzzy'], /^There is no command "xyzzy"\. There are serve, keys,/],
  ] as const) {
    const { program, printed } = quietProgram();
    await assert.rejects(
      program.parseAsync(['help', ...words], { from: 'user' }),
      (error) => error instanceof UsageError && message.test(error.message),
    );
    assert.equal(printed(), '');
  }
});

test('help is of the command that it names, also of one within another', async () => {
  for (const [words, usage] of [
    [[], 'Usage: fanfold [options] [command]'],
    [['keys'], 'Usage: fanfold keys [options] [command]'],
    [['keys', 'create'], 'Usage: fanfold keys create [options]'],
    [['doctor'], 'Usage: fanfold doctor [options]'],
  ] as const) {
    const { program, printed } = quietProgram();
    await program.parseAsync(['help', ...words], { from: 'user' });
    assert.equal(printed().split('\n', 1)[0], usage);
  }
});

test('the process exits with 2 when there is no such command', () => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  for (const words of [['help', 'modles'], ['modles']]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /Did you mean models\?/);
  }
});
