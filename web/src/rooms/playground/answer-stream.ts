import { Problem } from '../../api/problem.ts';

type AnswerFrame = {
  choices?: {
    delta?: {
      content?: string;
      reasoning_content?: string;
      tool_calls?: { index: number; function: { name?: string; arguments?: string } }[];
    };
  }[];
  error?: { code: string; message: string };
};

/** The answer so far. */
export type LiveText = { content: string; reasoning: string; toolCalls: { name: string; arguments: string }[] };

export const emptyText: LiveText = { content: '', reasoning: '', toolCalls: [] };

export function appendFrame(text: LiveText, frame: AnswerFrame): LiveText {
  const delta = frame.choices?.[0]?.delta;
  if (!delta) return text;
  const toolCalls = delta.tool_calls ? [...text.toolCalls] : text.toolCalls;
  for (const { index, function: piece } of delta.tool_calls ?? []) {
    const known = toolCalls[index] ?? { name: '', arguments: '' };
    toolCalls[index] = {
      name: known.name + (piece.name ?? ''),
      arguments: known.arguments + (piece.arguments ?? ''),
    };
  }
  return {
    content: text.content + (delta.content ?? ''),
    reasoning: text.reasoning + (delta.reasoning_content ?? ''),
    toolCalls,
  };
}

/** Reads a stream to its end. An error frame, or an end without `[DONE]`, is a problem: the answer is incomplete. */
export async function readFrames(response: Response, onFrame: (frame: AnswerFrame) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const requestId = response.headers.get('x-request-id');
  let waiting = '';
  for (;;) {
    // If the server or a proxy closes the connection, the browser throws an error of its own.
    const { done, value } = (await reader?.read().catch(() => null)) ?? { done: true, value: undefined };
    if (done) throw new Problem({ status: 0, code: 'offline', message: 'The connection broke during the answer.' });
    const blocks = (waiting + value).split('\n\n');
    waiting = blocks.pop() ?? '';
    for (const block of blocks) {
      if (!block.startsWith('data: ')) continue;
      const data = block.slice('data: '.length);
      if (data === '[DONE]') return;
      // as: the server sends frames of this shape.
      const frame = JSON.parse(data) as AnswerFrame;
      if (frame.error) throw new Problem({ status: 200, ...frame.error, requestId, isCall: true });
      onFrame(frame);
    }
  }
}
