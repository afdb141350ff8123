// Whether this container's process is ready: asked at the operator's port where there is one, which a worker needs, else where requests go.
const port = process.env.FANFOLD_OPERATOR_PORT || process.env.PORT || 8787;
const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
process.exit(answer.ok ? 0 : 1);
