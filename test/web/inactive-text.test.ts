import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inactiveText } from '../../web/src/i18n/inactive-text.ts';

test('of a model that is switched off both languages say so by its name, and what to do', () => {
  const said = 'The model "helper" of this project is not active.';
  assert.deepEqual(inactiveText(said, 'en'), {
    what: said,
    next: 'Activate it under Models, or choose another one.',
  });
  assert.deepEqual(inactiveText(said, 'zh'), {
    what: '模型“helper”未启用。',
    next: '请在“模型”中启用它，或选择其他模型。',
  });
});

test('of a model that does not exist nothing else is said', () => {
  assert.equal(inactiveText('There is no model "helper" in this project, or you may not use it.', 'zh'), null);
});
