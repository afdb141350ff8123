import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { brokenRules, checkPassword } from './password-rules.ts';

test('a password that is hard to guess passes, whatever kinds of characters it has', () => {
  for (const good of [
    'violet tram over 12 bridges',
    'kjhdsfiuwehfkjs',
    'Tq8#mmPz!x0a',
    '纸扇折叠的长长的口令真好',
    'x'.concat('bcagqzlmwyptv'),
  ])
    assert.deepEqual(brokenRules(good), [], good);
});

test('what attackers try first is refused, with digits around it and letters replaced as well', () => {
  for (const common of [
    'Password1234',
    'p@ssw0rd2024!',
    '123qwertyuiop',
    'letmein12345!',
    'passwordpassword',
    'Administrator!1',
    'iloveyou99999',
  ])
    assert.ok(brokenRules(common).includes('common'), common);
});

test('a few characters over and over, or counted up, are refused', () => {
  for (const poor of [
    'aaaaaaaaaaaaaaa',
    'abababababab',
    'aqzmqaqmzaqz',
    '123412341234',
    '123456789012',
    'abcdefghijklm',
    '987654321098',
  ])
    assert.ok(brokenRules(poor).includes('repetitive'), poor);
});

test('the name or the address of the account with little around it is refused', () => {
  const personal = { email: 'ada.lovelace@example.com', slug: 'ada-lovelace', displayName: 'Ada Lovelace' };
  for (const poor of ['ada.lovelace!1', 'Ada-Lovelace99', 'ADA LOVELACE 1', 'ada.lovelace@example.com'])
    assert.deepEqual(brokenRules(poor, personal), ['personal'], poor);
  assert.deepEqual(brokenRules('ada-lovelace likes rain', personal), []);
});

test('length counts from 12 to 128, and every broken rule is named', () => {
  assert.deepEqual(brokenRules(''), ['min_length']);
  assert.deepEqual(brokenRules('password'), ['min_length', 'common']);
  assert.deepEqual(brokenRules('quay'), ['min_length'], 'so short that it has few characters, and repeats none');
  const long = 'kq7 v0w mz lp'.repeat(10);
  for (const length of [12, 128]) assert.deepEqual(brokenRules(long.slice(0, length)), []);
  for (const length of [129, 130]) assert.deepEqual(brokenRules(long.slice(0, length)), ['max_length']);
  assert.deepEqual(brokenRules('kq7 v0w mz \ud800lp'), ['well_formed']);
  const refused = (error: unknown) =>
    error instanceof Fault &&
    error.options.param === 'new_password' &&
    assert.deepEqual(error.options.details, { rules: ['unchanged'] }) === undefined;
  assert.throws(() => checkPassword('kq7 v0w mz lp', 'new_password', {}, 'kq7 v0w mz lp'), refused);
  checkPassword('kq7 v0w mz lp', 'new_password', {}, 'kq7 v0w mz lq');
});
