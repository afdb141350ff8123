import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { parseExactJson } from '#kernel';
import { root } from '#test/source-tree.ts';
import { codeOf } from '../../web/src/rooms/playground/request-code.ts';

const run = promisify(execFile);
const patienceMs = 120_000;

/** What programs sent, as they sent it. */
const bodies: string[] = [];
const server = createServer(async (request, response) => {
  bodies.push(await text(request));
  assert.equal(request.headers.authorization, 'Bearer fnf_test');
  response.setHeader('content-type', 'application/json');
  response.end('{"choices":[{"message":{}}],"data":[]}');
});
let folder: string;
let baseUrl: string;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: it listens on a port.
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/projects/a/b/openai/v1`;
  // In the checkout, where the program finds its client.
  folder = await mkdtemp(join(root, 'node_modules/.playground-code-'));
});

after(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Stands in for the client of Python, which a test cannot expect: prints what it would send. */
const pythonClient = `import json
import sys
from types import SimpleNamespace


class OpenAI:
    def __init__(self, base_url, api_key):
        send = lambda **body: sys.stderr.write(json.dumps(body)) and SimpleNamespace(
            choices=[SimpleNamespace(message=None)], data=[]
        )
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=send))
        self.embeddings = SimpleNamespace(create=send)
`;

const environment = { ...process.env, FANFOLD_KEY: 'fnf_test' };

async function sentBy(language: string, code: string): Promise<string> {
  if (language === 'python') {
    await writeFile(join(folder, 'openai.py'), pythonClient);
    await writeFile(join(folder, 'program.py'), code);
    const { stderr } = await run('python3', [join(folder, 'program.py')], { env: environment, timeout: patienceMs });
    return stderr;
  }
  bodies.length = 0;
  const [program, ...args] =
    language === 'curl'
      ? ['bash', '-c', code.replace(/^curl/, 'curl -sS')]
      : [process.execPath, join(folder, 'program.mjs')];
  if (language === 'typescript') await writeFile(join(folder, 'program.mjs'), code);
  await run(String(program), args, { env: environment, timeout: patienceMs });
  assert.equal(bodies.length, 1);
  return bodies[0] ?? '';
}

const difficult = {
  model: "it's",
  messages: [
    { role: 'system', content: 'Say "no" \\ and `$HOME` and $(date).\nThen 好, 🙂.' },
    { role: 'user', content: "'; rm -rf /; echo '" },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
  ],
  temperature: 0.1,
  tools: [
    {
      type: 'function',
      function: {
        name: 'f',
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: false, default: null },
      },
    },
  ],
  stream: false,
};

test('code that is copied sends exactly the request that it stands for, whatever is said in it', async () => {
  const embedding = { model: 'e', input: "a 'quoted' text", input_type: 'document', encoding_format: 'float' };
  for (const [path, body] of [
    ['chat/completions', difficult],
    ['embeddings', embedding],
  ] as const)
    for (const { id, code } of codeOf({ baseUrl, path, body }))
      assert.deepEqual(JSON.parse(await sentBy(id, code)), body, `${path} ${id}`);
});

test('code that is copied keeps the digits of numbers and the order of names', async () => {
  const properties = '{"reason":{"const":"`\\u0024{1}` \\\\ \'"},"10":{"const":9007199254740993},"2":{"enum":[1.0]}}';
  for (const stream of [true, false]) {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream,
      tools: [
        { type: 'function', function: { name: 'f', parameters: parseExactJson(`{"properties":${properties}}`) } },
      ],
    };
    for (const { id, code } of codeOf({ baseUrl, path: 'chat/completions', body })) {
      // The stand-in for the client of Python streams nothing.
      if (stream && id === 'python') continue;
      const sent = await sentBy(id, code);
      assert.equal(JSON.stringify(parseExactJson(sent)), JSON.stringify(body), id);
    }
  }
});
