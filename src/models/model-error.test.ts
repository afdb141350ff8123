import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelError } from './model-error.ts';

test('a request is answered without options of the command line', () => {
  const error = new ModelError('Give one of --secret-env and --secret-file.');
  assert.equal(error.message, 'Give one of --secret-env and --secret-file.');
  assert.equal(error.requestMessage, 'Give one of secret_env and secret_file.');
  const used = new ModelError('It is there; replace it with --force.', { inRequest: 'It is there; remove it first.' });
  assert.equal(used.requestMessage, 'It is there; remove it first.');
});
