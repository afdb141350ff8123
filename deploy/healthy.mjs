// Whether this container's process is ready: asked at the operator's port where there is one, which a worker needs, else where requests go.
const { env } = process;
const [host, port] = env.FANFOLD_OPERATOR_PORT
  ? [env.FANFOLD_OPERATOR_HOST, env.FANFOLD_OPERATOR_PORT]
  : [env.HOST, env.PORT || 8787];
// Whoever listens on every address listens on the loopback, too.
const loopbacks = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };
const address = loopbacks[host ?? ''] ?? host;
const answer = await fetch(`http://${address.includes(':') ? `[${address}]` : address}:${port}/readyz`);
process.exit(answer.ok ? 0 : 1);
