import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderGreeting } from './first-start.ts';

const address = 'http://127.0.0.1:8787';
const key = 'fnf_0123';
const usual = { address, publicUrl: null, madeIn: null, startLink: null };

test('a server names the addresses that clients reach: its public ones where it has been told, else its own', () => {
  const own = renderGreeting({ ...usual, key, hasLocal: true });
  assert.match(own, /^ {2}http:\/\/127\.0\.0\.1:8787\/api\/projects\/local\/chat\/openai\/v1 /m);
  const behindProxy = renderGreeting({ ...usual, publicUrl: 'https://models.example', key, hasLocal: true });
  assert.match(behindProxy, /^Fanfold listens on http:\/\/127\.0\.0\.1:8787$/m);
  assert.match(behindProxy, /^curl https:\/\/models\.example\/api\/projects\/local\/chat\/openai\/v1\//m);
  assert.equal(behindProxy.match(/127\.0\.0\.1/g)?.length, 1);
});

test('a key is shown once: a server that has accounts says how to make another one', () => {
  const later = renderGreeting({ ...usual, key: null, hasLocal: true });
  assert.match(later, /^Keys cannot be shown again\. .*keys create$/m);
  assert.doesNotMatch(later, /curl/);
});

test('an operator who made the accounts himself is told of no project that is not there', () => {
  const own = renderGreeting({ ...usual, key: null, hasLocal: false });
  assert.doesNotMatch(own, /local/);
  assert.match(own, /^ {2}http:\/\/127\.0\.0\.1:8787\/api\/projects\/\{owner\}\/\{project\}\/openai\/v1$/m);
  assert.match(own, /keys create, each with --account$/m);
});

test('a start that made its database says where, so that one in a mistyped folder is not taken for the old one', () => {
  const made = renderGreeting({ ...usual, madeIn: '/srv/dta', key, hasLocal: true });
  assert.match(made, /^There was no database in \/srv\/dta: a new one was made\.$/m);
  assert.doesNotMatch(renderGreeting({ ...usual, key: null, hasLocal: true }), /database/);
});

test('the link for the first operator is shown while there is one', () => {
  const startLink = `${address}/join#abc`;
  assert.match(
    renderGreeting({ ...usual, startLink, key, hasLocal: true }),
    /^ {2}http:\/\/127\.0\.0\.1:8787\/join#abc$/m,
  );
  assert.doesNotMatch(renderGreeting({ ...usual, key, hasLocal: true }), /join/);
});
