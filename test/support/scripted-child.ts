/**
 * A child that speaks the protocol without a model, for the tests of everything around it: loads that are slow, fail
 * or die, steps of a set length, crashes and hangs on demand. The model file is JSON (`Script`); a prompt's last message
 * says what its generation does (`Behaviour`).
 */
import { readFileSync, rmSync } from 'node:fs';
import type { ChildConfig, FromChild, ToChild } from '../../src/engine/llama/protocol.ts';

type Script = { loadMs?: number; fails?: string; dies?: boolean; diesOnGpu?: boolean; dimensions?: number };
type Behaviour = {
  deltas?: number;
  stepMs?: number;
  crashAt?: number;
  hangAt?: number;
  diesPreparing?: string;
  crashesPreparing?: boolean;
};
type Job = { id: number; behaviour: Behaviour; done: number; kind: 'generate' | 'embed' };

const prepared = new Map<string, Behaviour>();
const jobs = new Map<number, Job>();
const state = { granted: false, yielding: false, stepping: false };

process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// The channel carries only what the parent sends, typed by the protocol.
process.on('message', (message) => receive(message as ToChild));

function send(message: FromChild): void {
  process.send?.(message);
}

function receive(message: ToChild): void {
  switch (message.type) {
    case 'load':
      load(message.config);
      break;
    case 'prepare_chat':
      prepare(message, behaviourIn(message.prompt.messages.at(-1)?.content));
      break;
    case 'prepare_embedding':
      prepare(message, behaviourIn(message.texts[0]));
      break;
    case 'generate':
    case 'embed':
      begin(message);
      break;
    case 'cancel':
      if (jobs.has(message.id)) finish(message.id, 'cancelled');
      break;
    case 'release':
      prepared.delete(message.handle);
      break;
    case 'grant':
      state.granted = true;
      setImmediate(step);
      break;
    case 'yield':
      if (state.granted) state.yielding = true;
      break;
    case 'stop':
      process.exit(0);
  }
}

function load(config: ChildConfig): void {
  const script: Script = JSON.parse(readFileSync(config.ggufPath, 'utf8'));
  console.error(`loading ${Object.keys(process.env).sort().join(' ')}`);
  setTimeout(() => {
    if (script.dies) process.exit(9);
    if (script.diesOnGpu && config.gpu) return dieAsCuda();
    if (script.fails === undefined) {
      send({
        type: 'ready',
        format: null,
        dimensions: script.dimensions ?? 0,
        loadMs: script.loadMs ?? 0,
        systemInfo: 'scripted',
        runsOn: config.gpu ? config.gpu.backend : 'CPU',
      });
    } else {
      process.send?.({ type: 'load_failed', message: script.fails } satisfies FromChild, () => process.exit(1));
    }
  }, script.loadMs ?? 0);
}

/** What it wrote on a machine whose driver was older than the addon's CUDA. */
function dieAsCuda(): void {
  console.error('CUDA error: the provided PTX was compiled with an unsupported toolchain.');
  for (let frame = 0; frame < 40; frame++)
    console.error(`/opt/linux-x64-cuda/libggml-cuda.so(+0x46${frame})[0x7fbe7f263a2d]`);
  process.abort();
}

/** Plain text asks for nothing special. */
function behaviourIn(text = ''): Behaviour {
  return text.startsWith('{') ? JSON.parse(text) : {};
}

/** `diesPreparing` names a file: the child dies if it is there, and takes it along, so that the next child lives. `crashesPreparing`: every child dies. */
function prepare(message: { id: number; handle: string }, behaviour: Behaviour): void {
  // As native code does. Nothing that stands behind it in the channel is read any more.
  if (behaviour.crashesPreparing) process.abort();
  if (behaviour.diesPreparing !== undefined && takeFile(behaviour.diesPreparing)) process.exit(7);
  prepared.set(message.handle, behaviour);
  send({ type: 'prepared', id: message.id, promptTokens: 3, inputs: [{ tokens: 3, truncated: false }] });
}

function begin(message: { id: number; handle: string; type: 'generate' | 'embed' }): void {
  const behaviour = prepared.get(message.handle);
  prepared.delete(message.handle);
  if (behaviour === undefined) {
    send({
      type: 'failed',
      id: message.id,
      fault: 'generation_failed',
      message: 'unknown handle',
      param: null,
      retryAfterSeconds: null,
    });
    return;
  }
  jobs.set(message.id, { id: message.id, behaviour, done: 0, kind: message.type });
}

/** One step advances every job by one delta; its text says when the step ran. */
function step(): void {
  if (!state.granted || state.stepping) return;
  const running = [...jobs.values()];
  if (running.length === 0 || state.yielding) {
    giveBack();
    return;
  }
  if (running.some((job) => job.behaviour.hangAt === job.done)) return;
  if (running.some((job) => job.behaviour.crashAt === job.done)) process.exit(8);
  const fromMs = sharedMs();
  state.stepping = true;
  setTimeout(
    () => {
      state.stepping = false;
      endStep(fromMs);
      step();
    },
    Math.max(...running.map((job) => job.behaviour.stepMs ?? 1)),
  );
}

function giveBack(): void {
  state.granted = false;
  state.yielding = false;
  send({ type: 'lease_back' });
}

/** Of the machine, and not of this process: steps of several are compared. */
const sharedMs = () => Number(process.hrtime.bigint()) / 1e6;

function endStep(fromMs: number): void {
  const text = JSON.stringify({ pid: process.pid, fromMs, toMs: sharedMs() });
  const running = [...jobs.values()];
  for (const job of running) job.done += 1;
  const streaming = running.filter((job) => job.kind === 'generate');
  if (streaming.length > 0) {
    send({ type: 'deltas', items: streaming.map(({ id }) => ({ id, delta: { type: 'content', text } })) });
  }
  for (const { id, done, behaviour } of running) if (done >= (behaviour.deltas ?? 1)) finish(id, 'stop');
}

function finish(id: number, reason: 'stop' | 'cancelled'): void {
  const job = jobs.get(id);
  if (job === undefined) return;
  jobs.delete(id);
  if (job.kind === 'embed' && reason === 'stop') {
    send({ type: 'embedded', id, vectors: [new Float32Array([1, 0])], promptTokens: 3, activeMs: job.done });
    return;
  }
  const usage = { promptTokens: 3, completionTokens: job.done, reasoningTokens: 0, cachedTokens: 0 };
  send({ type: 'finished', id, reason, usage, activeMs: job.done });
}

function takeFile(path: string): boolean {
  try {
    readFileSync(path);
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}
