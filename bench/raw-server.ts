import http from 'node:http';
import { answerOf } from './raw-answer.ts';

/** The yardstick of the hot path: a bare `node:http` server that reads the body and answers a constant. */
const body = Buffer.from(answerOf());
const server = http.createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));
