import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Database } from '#db';
import { fault } from '#kernel';

/** What passes waits while it is closed, and fails while the database is away. */
export function createGate() {
  let opened = Promise.withResolvers<void>();
  const passing = {
    isAway: false,
    waiting: 0,
    close: () => {
      opened = Promise.withResolvers<void>();
    },
    open: () => opened.resolve(),
    async pass(): Promise<void> {
      passing.waiting += 1;
      await opened.promise;
      passing.waiting -= 1;
      if (passing.isAway) throw fault('service_unavailable', { retryAfterSeconds: 1 });
    },
  };
  return passing;
}

/** The database, whose admissions pass the gate. */
export function behind(admissions: ReturnType<typeof createGate>, database: Database): Database {
  return {
    ...database,
    async query(sql, values, options) {
      if (options?.name === 'admission') await admissions.pass();
      return database.query<never>(sql, values, options);
    },
  };
}

/** An engine that answers at once, or not before it is told to, and notes who hung up. */
export function createEngine() {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('{"data":[]}');
    const body = JSON.parse(await text(request));
    state.got += 1;
    response.once('close', () => {
      if (!response.writableFinished) state.canceled += 1;
    });
    const finish = () => answer(response, body.stream === true);
    if (state.answers) finish();
    else {
      state.finish = finish;
      state.breakOff = () => beginAndBreakOff(response);
    }
  });
  const state = {
    answers: true,
    /** Answers the request that came last, where it waits. */
    finish: () => {},
    /** Begins to stream to the request that came last, where it waits, and breaks off. */
    breakOff: () => {},
    got: 0,
    canceled: 0,
    /** Resolves with its address. */
    start: async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      // as: it listens on a port.
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
  return state;
}

const usage = { prompt_tokens: 3, completion_tokens: 20, total_tokens: 23 };

function answer(response: ServerResponse, streams: boolean): void {
  if (!streams) {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices, usage }));
    return;
  }
  stream(response, [choice({ content: 'Hi.' }, null), choice({}, 'stop'), { choices: [], usage }]);
  response.end('data: [DONE]\n\n');
}

function beginAndBreakOff(response: ServerResponse): void {
  stream(response, [choice({ content: 'Hi.' }, null), { error: { message: 'Out of memory.' } }]);
  response.end();
}

const choice = (delta: object, finish_reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason }] });

function stream(response: ServerResponse, chunks: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}
