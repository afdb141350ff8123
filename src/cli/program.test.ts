import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperatorError } from '#kernel';
import { createProgram } from './program.ts';

const unread = () => assert.fail('the configuration was read');

test('a command that does not exist is named and starts nothing', async () => {
  const program = createProgram({ config: unread, stop: AbortSignal.abort() });
  await assert.rejects(program.parseAsync(['dcotor'], { from: 'user' }), (error) => {
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, /^There is no command "dcotor"; there are serve, keys, .*doctor.*, help\.$/);
    return true;
  });
});
