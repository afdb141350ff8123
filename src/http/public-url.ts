import type { FastifyRequest } from 'fastify';

/** The address, without a slash at the end, at which the caller of a request reaches the service. */
export type PublicUrl = (request: FastifyRequest) => string;

const hostPattern = /^[A-Za-z0-9._[\]:-]{1,255}$/;

/**
 * The configured address; without one, the host that the request names, over the protocol it came by. What a client
 * cannot have meant as a host is left out, so that nothing but an address gets into an address.
 */
export function createPublicUrl(configured: string | null): PublicUrl {
  return (request) => {
    if (configured !== null) return configured;
    const { host, protocol, socket } = request;
    const here = socket.localFamily === 'IPv6' ? `[${socket.localAddress}]` : socket.localAddress;
    return `${protocol}://${hostPattern.test(host) ? host : `${here}:${socket.localPort}`}`;
  };
}
