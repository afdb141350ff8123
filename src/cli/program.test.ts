import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperatorError } from '#kernel';
import { createProgram } from './program.ts';

const unread = () => assert.fail('the configuration was read');

test('a command that does not exist is named and starts nothing', async () => {
  const program = createProgram({ config: unread, stop: AbortSignal.abort() });
  await assert.rejects(
    program.parseAsync(['dcotor'], { from: 'user' }),
    new OperatorError('There is no command "dcotor"; "help" shows them.'),
  );
});
