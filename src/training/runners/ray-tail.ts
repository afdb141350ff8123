import { WebSocket } from 'undici';
import type { RayClient } from './ray-client.ts';

export type Tail = {
  /** The next piece of what the job prints, from its beginning on; null: there is no more, or the connection is lost. */
  next: () => Promise<Buffer | null>;
  close: () => void;
};

/** Follows what a job prints, over a WebSocket. */
export function openTail(client: RayClient, id: string): Tail {
  const url = `${client.place.url.replace(/^http/, 'ws')}/api/jobs/${id}/logs/tail`;
  const socket = new WebSocket(url, { headers: client.headers() });
  const pieces: Buffer[] = [];
  let isOver = false;
  let wake: (() => void) | null = null;
  const end = () => {
    isOver = true;
    wake?.();
  };
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') pieces.push(Buffer.from(data));
    wake?.();
  });
  socket.addEventListener('close', end);
  socket.addEventListener('error', end);
  return {
    next: async () => {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) return piece;
        if (isOver) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => socket.close(),
  };
}
