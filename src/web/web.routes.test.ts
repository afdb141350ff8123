import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from '#http';
import { createShell } from './shell.ts';
import type { Site } from './site.ts';
import { answerStranger, webRoutes } from './web.routes.ts';

const site: Site = {
  now: () => ({ kind: 'ready', shell: createShell('<!doctype html><title>Fanfold</title>', ''), assets: new Map() }),
};
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const paths = [
  '/models',
  '/models/some-model',
  '/models?limit=2',
  '/projects/a/b',
  '/keys',
  '/chat/completions',
  '/embeddings',
];

async function openServer() {
  const web = { site, hasSession: () => false };
  const server = createServer({
    authenticator: async () => null,
    probe: async () => {},
    answerStranger: answerStranger(web),
  });
  await server.register(webRoutes(web));
  return server;
}

test('a program that asks for a page of the web app, or for what is nowhere, gets an error in JSON', async () => {
  const server = await openServer();
  const programs = [
    undefined,
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'text/html;q=0',
    'text/html;q=0.5, */*',
  ];
  for (const url of paths)
    for (const accept of programs) {
      const answer = await server.inject({ url, headers: accept === undefined ? {} : { accept } });
      assert.equal(answer.statusCode, 404, `${url} ${accept}`);
      assert.equal(answer.json().error.code, 'not_found', `${url} ${accept}`);
    }
  const { error } = (await server.inject({ url: '/models' })).json();
  assert.match(error.message, /base URL of a client ends with .*\/openai\/v1\.$/);
});

test('a browser gets the page at addresses of the web app, and with 404 elsewhere', async () => {
  const server = await openServer();
  for (const url of paths) {
    const answer = await server.inject({ url, headers: { accept: browser } });
    const isPage = !/^.(?:chat|embeddings)/.test(url);
    assert.equal(answer.statusCode, isPage ? 200 : 404, url);
    assert.match(String(answer.headers['content-type']), /^text\/html/, url);
  }
});

test('the first page is for everybody, whatever they ask for', async () => {
  const server = await openServer();
  assert.match((await server.inject({ url: '/', headers: { accept: '*/*' } })).body, /Fanfold/);
});
