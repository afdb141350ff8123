import type { RayClient } from './ray-client.ts';

export type Tail = {
  /** The next piece of what the job prints, from its beginning on; null: there is no more, or the connection is lost. */
  next: () => Promise<Buffer | null>;
  close: () => void;
};

const handshakeTimeout = 15_000;
const maxPayload = 16 * 1024 * 1024;
/** Of what waits to be read; beyond, the rest waits on the other side. */
const mostWaitingBytes = 1024 * 1024;

/** Follows what a job prints, over a WebSocket. */
export async function openTail(client: RayClient, id: string): Promise<Tail> {
  // Loaded where there is a cluster only.
  const { WebSocket } = await import('ws');
  const url = `${client.place.url.replace(/^http/, 'ws')}/api/jobs/${id}/logs/tail`;
  // Ray passes the offer of compression on to its own process, whose answer it then cannot read.
  const options = { headers: client.headers(), perMessageDeflate: false, handshakeTimeout, maxPayload };
  const socket = new WebSocket(url, options);
  const pieces: Buffer[] = [];
  let waitingBytes = 0;
  let isOver = false;
  let wake: (() => void) | null = null;
  const end = () => {
    isOver = true;
    wake?.();
  };
  socket.on('message', (data) => {
    if (!Buffer.isBuffer(data)) return;
    pieces.push(data);
    waitingBytes += data.length;
    if (waitingBytes > mostWaitingBytes) socket.pause();
    wake?.();
  });
  socket.on('close', end);
  socket.on('error', end);
  return {
    next: async () => {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) {
          waitingBytes -= piece.length;
          if (waitingBytes <= mostWaitingBytes) socket.resume();
          return piece;
        }
        if (isOver) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => socket.terminate(),
  };
}
