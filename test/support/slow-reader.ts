import { connect, type Socket } from 'node:net';
import { type Asked, bodyOf, type Caller, type ProtocolRow, pathOf } from './protocols.ts';

/** A caller whose connection a test can pause and break. */
export type Reader = {
  socket: Socket;
  row: ProtocolRow;
  /** All that has come, as latin1. */
  text: () => string;
  closed: Promise<void>;
};

/** Calls a model over a connection of its own. */
export function openReader(row: ProtocolRow, caller: Caller, asked: Asked): Reader {
  const socket = connect(Number(new URL(caller.origin).port), '127.0.0.1');
  let text = '';
  const body = JSON.stringify(bodyOf(row, asked));
  const head = [
    `POST ${pathOf(row, caller)} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${caller.key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.on('data', (data) => (text += data.toString('latin1')));
  socket.on('error', () => {});
  return { socket, row, text: () => text, closed: new Promise((resolve) => socket.once('close', () => resolve())) };
}

export const requestIdOf = (text: string) => /x-request-id: (\S+)/.exec(text)?.[1] ?? '';

/** Its stream has come to a good end. */
export const isOver = ({ row, text }: Reader) => row.stream?.isWhole(bodyIn(text())) === true;

/** The body as far as it has come. Sizes of chunks are bytes, as characters of latin1 are. */
function bodyIn(exchange: string): string {
  const [head = '', ...rest] = exchange.split('\r\n\r\n');
  let chunks = rest.join('\r\n\r\n');
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return chunks;
  let body = '';
  for (let size = /^([0-9a-f]+)\r\n/i.exec(chunks); size; size = /^([0-9a-f]+)\r\n/i.exec(chunks)) {
    const from = size[0].length;
    const to = from + Number.parseInt(size[1] ?? '', 16);
    body += chunks.slice(from, to);
    chunks = chunks.slice(to + 2);
  }
  return body;
}
