import assert from 'node:assert/strict';

/** For `assert.rejects`: a `ModelError` whose message is one line that matches. */
export function modelErrorWith(message: RegExp) {
  return (error: Error) => {
    assert.equal(error.name, 'ModelError', String(error.stack));
    assert.match(error.message, message);
    assert.match(error.message, /^[^\n]+$/);
    return true;
  };
}
