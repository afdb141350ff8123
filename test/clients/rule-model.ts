import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type NextStep, nextStep, type Tool } from './next-step.ts';

type Message = { role: string; content?: unknown };
type Asked = { messages: Message[]; tools?: { function: Tool }[]; stream?: boolean };

/** What a program asked the model: how long it was, and which tools it offered. */
export type Question = { characters: number; tools: string[] };

/**
 * A remote engine that answers by rule, in the form of vLLM's chat route: it takes the tools that it is offered to read a
 * file, to change it and to run a test, one after the other, and then says that it is done.
 */
export async function startRuleModel(log: (line: string) => void = () => {}) {
  const questions: Question[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ object: 'list', data: [{ id: 'agent', object: 'model' }] }));
    }
    const body = await text(request);
    if (!request.url?.endsWith('/chat/completions')) return response.writeHead(404).end('{}');
    // as: Fanfold sends it.
    const { messages, tools = [], stream = false } = JSON.parse(body) as Asked;
    const offered = tools.map((tool) => tool.function);
    questions.push({ characters: body.length, tools: offered.map(({ name }) => name) });
    const results = messages.filter(({ role }) => role === 'tool');
    const step = nextStep(offered, results.length);
    log(
      `${offered.length} tools, ${results.length} results: ${JSON.stringify(results.at(-1)?.content ?? '').slice(0, 300)}`,
    );
    log(`  ${JSON.stringify(step)}`);
    const usage = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: 10 };
    return answer(response, step, { stream, usage: { ...usage, total_tokens: usage.prompt_tokens + 10 } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    questions,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export type RuleModel = Awaited<ReturnType<typeof startRuleModel>>;

let calls = 0;

function answer(response: ServerResponse, step: NextStep, { stream, usage }: { stream: boolean; usage: object }): void {
  const head = { id: 'chatcmpl-1', created: Math.floor(Date.now() / 1_000), model: 'agent' };
  const call = step.type === 'call' && {
    id: `call_${++calls}`,
    type: 'function',
    function: { name: step.name, arguments: JSON.stringify(step.arguments) },
  };
  const reason = call ? 'tool_calls' : 'stop';
  const message = call
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: step.type === 'text' ? step.text : '' };
  if (!stream) {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: reason }],
        usage,
      }),
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (fields: object) =>
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`);
  const delta = (fields: object, finish: string | null = null) =>
    send({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });
  delta({ role: 'assistant', content: '' });
  if (call) delta({ tool_calls: [{ index: 0, ...call }] });
  else delta({ content: message.content });
  delta({}, reason);
  send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}
