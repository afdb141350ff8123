import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Fault, fault, newId } from '#kernel';
import { nativeErrors } from './error-envelope.ts';
import { faultHeaders } from './render-fault.ts';

const lingerMs = 1_000;

/** Answers what Node's parser refuses before there is a request: broken syntax, too large or too slow headers. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else endBrokenRequest(socket, faultOfParser(error));
}

/** Ends a connection whose request will never be whole, and says why where that can still be said. */
export function endBrokenRequest(socket: Socket, problem: Fault): void {
  if (!socket.writable || isAnswering(socket)) socket.destroy();
  else endWith(socket, problem);
}

/** Answers `CONNECT`, which Node hands over as a bare socket: this is no proxy. */
export function refuseConnect(socket: Duplex): void {
  socket.on('error', () => {});
  endWith(socket, fault('invalid_request', { message: 'This server is not a proxy.' }));
}

function endWith(socket: Duplex, problem: Fault): void {
  socket.end(rawAnswer(problem));
  // The peer may go on sending for ever.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/**
 * True when the connection is busy with the answer to a whole request, so that the error lies behind that request and
 * a second answer would be taken for the first.
 */
function isAnswering(socket: Socket): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return answer instanceof ServerResponse && (answer.headersSent || answer.req.complete);
}

function faultOfParser({ code }: NodeJS.ErrnoException): Fault {
  if (code === 'HPE_HEADER_OVERFLOW') return fault('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('request_timeout');
  return fault('invalid_request', { message: 'This is not a valid HTTP request.' });
}

function rawAnswer(problem: Fault): string {
  const requestId = newId('req');
  const body = nativeErrors.render(problem, requestId);
  const headers = {
    ...faultHeaders(problem, nativeErrors, requestId),
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.row.status} ${reasons[problem.row.status] ?? 'Error'}\r\n${lines.join('')}\r\n${body}`;
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};
