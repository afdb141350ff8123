import { connect } from 'node:net';
import { hostileRequest, type Target } from './hostile-requests.ts';
import { seededRandom } from './random.ts';

export type AssaultOptions = {
  port: number;
  targets: readonly [Target, ...Target[]];
  /** A key that the server takes. */
  key: string;
  count: number;
  seed: number;
  connections?: number;
  /** Longest time until the server has answered or closed, ms; longer than its own time limits. */
  patienceMs: number;
};

export type AssaultReport = {
  /** How many first answers had which status; 0 is a connection that closed without one. */
  statuses: Record<number, number>;
  /** What the server should not have done, with the request that made it do so. */
  failures: string[];
};

/** Sends generated malformed requests, each on its own connection, and judges every answer. */
export async function assault(options: AssaultOptions): Promise<AssaultReport> {
  const { count, seed, targets, key, connections = 64 } = options;
  const report: AssaultReport = { statuses: {}, failures: [] };
  let next = 0;
  async function attacker(): Promise<void> {
    while (next < count) {
      const number = next++;
      const random = seededRandom(seed + number * 7_919);
      const request = hostileRequest(random, random.pick(targets), key);
      const answer = await exchange(options, request);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(finalAnswer(answer.text))?.[1] ?? 0);
      report.statuses[status] = (report.statuses[status] ?? 0) + 1;
      const complaint = complaintAbout(request, answer);
      if (complaint)
        report.failures.push(
          `#${number}: ${complaint}\n${JSON.stringify(request.slice(0, 600))}\n${JSON.stringify(answer.text.slice(0, 600))}`,
        );
    }
  }
  await Promise.all(Array.from({ length: connections }, attacker));
  return report;
}

type Exchange = { text: string; closed: boolean };

function exchange({ port, patienceMs }: AssaultOptions, request: string): Promise<Exchange> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, closed });
    };
    const timer = setTimeout(() => finish(false), patienceMs);
    socket.on('data', (data) => {
      text += data.toString('latin1');
      // A corrupted request may have lost its `Connection: close`: an answer that is whole is enough.
      if (isWhole(request, text)) finish(true);
    });
    // A reset is a way to close; whether anything came before it is seen in the text.
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
    socket.write(request, 'latin1');
  });
}

/** The text without the interim answer to an `Expect`. */
const finalAnswer = (text: string) => text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');

function isWhole(request: string, text: string): boolean {
  const [head = '', ...rest] = finalAnswer(text).split('\r\n\r\n');
  if (rest.length === 0) return false;
  if (request.startsWith('HEAD ') || head.startsWith('HTTP/1.1 204')) return true;
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return text.endsWith('\r\n0\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  return length !== undefined && rest.join('\r\n\r\n').length >= Number(length);
}

/** A model that starts, or has no room now: the one thing beyond 499 that a caller may be told, with a time to come back. */
const isBusy = (text: string) =>
  /^HTTP\/1\.1 (503|529) /.test(text) &&
  /\r\nretry-after: [1-5]?\d\r\n/.test(text) &&
  /"code":"(model_warming|capacity_unavailable)"|"type":"overloaded_error"/.test(text);

const compatKeys = 'code,message,param,type';
const anthropicKeys = 'message,type';
const nativeKeys = 'code,details,message,param,request_id,type';

/** What is wrong with an answer; null when it is a proper one. */
function complaintAbout(request: string, { text, closed }: Exchange): string | null {
  if (!closed) return 'neither answered nor closed';
  for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g))
    if (Number(status) >= 500 && !isBusy(text)) return `status ${status}`;
  const answer = finalAnswer(text);
  if (answer === '') return null;
  const [, status = ''] = /^HTTP\/1\.1 (\d{3}) [A-Za-z ]+\r\n/.exec(answer) ?? [];
  if (status === '') return 'not an HTTP answer';
  const head = answer.slice(0, answer.indexOf('\r\n\r\n'));
  if (!/\r\nx-request-id: req_[0-9A-Z]{26}(\r\n|$)/.test(head)) return 'no request id';
  if (/x-injected|evil\.example/i.test(head)) return 'an injected header';
  if (Number(status) < 400 || request.startsWith('HEAD ')) return null;
  return complaintAboutBody(
    answer.slice(head.length + 4, head.length + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)),
  );
}

function complaintAboutBody(body: string): string | null {
  if (/ {4}at |node_modules|\.ts:\d|postgres|select /i.test(body)) return 'internals in the answer';
  try {
    const { error, ...beside } = JSON.parse(Buffer.from(body, 'latin1').toString());
    const keys = Object.keys(error).sort().join();
    const isAnthropic = beside.type === 'error' && typeof beside.request_id === 'string' && keys === anthropicKeys;
    if (!isAnthropic && keys !== compatKeys && keys !== nativeKeys) return `error fields ${keys}`;
    const word = isAnthropic ? error.type : error.code;
    if (typeof error.message !== 'string' || error.message === '' || typeof word !== 'string')
      return 'error without text or code';
    return null;
  } catch {
    return 'an error that is not JSON';
  }
}
