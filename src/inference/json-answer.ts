import type { FastifyReply } from 'fastify';

/** The body of an answer in one piece. */
export type JsonAnswer<Result> = {
  /** Makes it ahead: while the call is being charged its server has nothing else to do for it. */
  make: (result: Result) => void;
  /** What the route returns. */
  send: (reply: FastifyReply, result: Result) => string;
};

export function createJsonAnswer<Result>(render: (result: Result) => object): JsonAnswer<Result> {
  const textOf = (result: Result) => JSON.stringify(render(result));
  let text: string | null = null;
  return {
    make(result) {
      try {
        text = textOf(result);
      } catch {
        // It is made once more when it is sent, and that tells what is wrong.
      }
    },
    send(reply, result) {
      reply.type('application/json; charset=utf-8');
      return text ?? textOf(result);
    },
  };
}
