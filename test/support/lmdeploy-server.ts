import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type LmdeployRequest = Record<string, unknown> & { messages?: { content: string }[] };

/**
 * A peer on loopback that speaks the routes and refusals of LMDeploy 0.18.0 as its source has them (`serve/openai/endpoints`,
 * `chat_completions/validation.py`, `core/exceptions.py`). It runs no model: it thinks `Hm.` and answers `Hi.`.
 */
export async function startLmdeployServer({ model = 'theirs', contextTokens = 4_096 } = {}) {
  const requests: LmdeployRequest[] = [];
  const state = { isHealthy: true, isSleeping: false, healthChecks: 0 };

  const refusalOf = (request: LmdeployRequest): [status: number, message: string] | null => {
    const { reasoning_effort: effort, top_p: topP, top_k: topK, max_tokens: maxTokens, messages = [] } = request;
    if (state.isSleeping) return [503, 'Engine is sleeping; call POST /wakeup before inference requests.'];
    if (effort !== undefined && !['low', 'medium', 'high', 'max'].includes(String(effort)))
      return [400, "reasoning_effort: Input should be 'low', 'medium', 'high' or 'max'"];
    if (request.model !== model) return [404, `The model '${request.model}' does not exist.`];
    if (typeof topP === 'number' && !(topP > 0 && topP <= 1)) return [400, `The top_p ${topP} must be in (0, 1].`];
    if (typeof topK === 'number' && topK < 0) return [400, `The top_k ${topK} cannot be a negative integer.`];
    if (typeof maxTokens === 'number' && maxTokens <= 0)
      return [400, `The max_tokens ${maxTokens} must be a positive integer.`];
    const length = messages.map(({ content }) => content).join('').length;
    if (length < contextTokens) return null;
    return [400, `Input length (${length}) must be smaller than the model context length (${contextTokens}).`];
  };

  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    if (path === '/health') {
      state.healthChecks += 1;
      const status = state.isHealthy ? (state.isSleeping ? 'sleeping' : 'healthy') : 'unhealthy';
      return send(response, state.isHealthy ? 200 : 503, { status });
    }
    if (path === '/v1/models') return send(response, 200, { object: 'list', data: [{ id: model }] });
    if (path !== '/v1/chat/completions') return send(response, 404, { detail: 'Not Found' });
    const body: LmdeployRequest = JSON.parse(await text(request));
    requests.push(body);
    const refusal = refusalOf(body);
    if (refusal) {
      const [code, message] = refusal;
      return send(response, code, { message, type: 'invalid_request_error', code, param: null, object: 'error' });
    }
    if (body['stream'] === true) return stream(response, body);
    const message = { role: 'assistant', content: 'Hi.', reasoning_content: 'Hm.', tool_calls: null };
    send(response, 200, { choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }], usage });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: it listens on a port.
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/v1`, requests, state, stop };
}

const usage = {
  prompt_tokens: 9,
  total_tokens: 13,
  completion_tokens: 4,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

const send = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** With `include_usage`, `usage` is null in all chunks but the last, which has no choices. */
function stream(response: ServerResponse, { stream_options: options }: LmdeployRequest): void {
  const includesUsage = JSON.stringify(options) === '{"include_usage":true}';
  const choices = [
    { index: 0, delta: { role: 'assistant', reasoning_content: 'Hm.' } },
    { index: 0, delta: { role: 'assistant', content: 'Hi.' } },
    { index: 0, delta: { role: 'assistant' }, finish_reason: 'stop' },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const choice of choices)
    response.write(`data: ${JSON.stringify({ choices: [choice], ...(includesUsage ? { usage: null } : {}) })}\n\n`);
  if (includesUsage) response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}
