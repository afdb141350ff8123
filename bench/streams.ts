import http from 'node:http';

/** Timings of one streamed call, ms since it was sent. */
export type StreamTimes = { firstMs: number; totalMs: number; completionTokens: number; text: string };

const done = 'data: [DONE]\n\n';

/** Sends one streaming request, which asks for usage, over a kept connection and reads it as cheaply as possible. */
export function streamOnce(options: {
  url: string;
  key: string;
  agent: http.Agent;
  body: object;
  keepText?: boolean;
}): Promise<StreamTimes> {
  const { url, key, agent, body, keepText = false } = options;
  return new Promise((resolve, reject) => {
    const sentAt = performance.now();
    let firstMs = Number.NaN;
    let tail = '';
    let text = '';
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      response.on('data', (chunk: Buffer) => {
        if (Number.isNaN(firstMs)) firstMs = performance.now() - sentAt;
        const part = chunk.toString('latin1');
        tail = (tail + part).slice(-800);
        if (keepText) text += chunk.toString();
      });
      response.on('end', () => {
        const completionTokens = Number(/"completion_tokens":(\d+)/.exec(tail)?.[1]);
        if (response.statusCode === 200 && tail.endsWith(done))
          resolve({ firstMs, totalMs: performance.now() - sentAt, completionTokens, text });
        else reject(new Error(`A stream of the benchmark failed: ${response.statusCode} ${tail}`));
      });
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}
