import { type Fields, isFields, storable } from '#kernel';
import { eventPrefix, type Metrics, type TrainerEvent, type TrainerFailure } from './protocol.ts';

const mostText = 4_000;
const mostMetrics = 200;
const mostName = 200;
/** As large as the database keeps them. */
const mostSteps = 2 ** 31 - 1;
const checkpointName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

/**
 * Reads a line of the trainer; null where it is no event of the protocol. Trainers may run elsewhere, so nothing is taken
 * on trust: what lacks a field that it needs is no event, and what no field needs is dropped.
 */
export function readEvent(line: string): TrainerEvent | null {
  if (!line.startsWith(eventPrefix)) return null;
  const fields = parse(line.slice(eventPrefix.length));
  if (fields === null) return null;
  const seq = count(fields.seq);
  const t = number(fields.t);
  const activeMs = number(fields.active_ms);
  if (seq === null || seq === 0 || t === null || activeMs === null || activeMs < 0) return null;
  const rest = readRest(fields);
  return rest && { seq, t, active_ms: activeMs, ...rest };
}

type WithoutNumbers<Event> = Event extends TrainerEvent ? Omit<Event, 'seq' | 't' | 'active_ms'> : never;
type Read = WithoutNumbers<TrainerEvent> | null;

function readRest(fields: Fields): Read {
  switch (fields.event) {
    case 'hello':
      return readHello(fields);
    case 'prepared':
      return readPrepared(fields);
    case 'started':
      return { event: 'started', resumed_step: stepOf(fields.resumed_step) ?? 0 };
    case 'progress':
      return readProgress(fields);
    case 'eval':
      return readEvaluation(fields);
    case 'checkpoint':
      return readCheckpoint(fields);
    case 'artifact':
      return readArtifact(fields);
    case 'warning':
      return readWarning(fields);
    case 'finished':
      return { event: 'finished', best: metrics(fields.best) };
    case 'cancelled':
      return { event: 'cancelled', best: metrics(fields.best) };
    case 'failed':
      return { event: 'failed', error: readFailure(isFields(fields.error) ? fields.error : {}) };
    default:
      return null;
  }
}

function readHello(fields: Fields): Read {
  const protocol = count(fields.protocol);
  if (protocol === null) return null;
  const versions = texts(fields.versions);
  const device = text(fields.device) ?? 'unknown';
  return { event: 'hello', protocol, versions, device, threads: count(fields.threads), pid: count(fields.pid) };
}

function readPrepared(fields: Fields): Read {
  const samples = count(fields.samples);
  const steps = count(fields.steps_total);
  if (samples === null || steps === null) return null;
  return {
    event: 'prepared',
    samples,
    trained_tokens: count(fields.trained_tokens) ?? 0,
    context_tokens: count(fields.context_tokens) ?? 0,
    dropped: metrics(fields.dropped),
    steps_total: steps,
    params_trainable: count(fields.params_trainable),
    mem_estimate_mb: number(fields.mem_estimate_mb),
  };
}

function readProgress(fields: Fields): Read {
  const step = stepOf(fields.step);
  if (step === null) return null;
  return {
    event: 'progress',
    step,
    epoch: number(fields.epoch),
    loss: number(fields.loss),
    lr: number(fields.lr),
    grad_norm: number(fields.grad_norm),
    tokens: count(fields.tokens),
    tok_s: number(fields.tok_s),
    eta_ms: number(fields.eta_ms),
    peak_mem_mb: number(fields.peak_mem_mb),
  };
}

function readEvaluation(fields: Fields): Read {
  const step = stepOf(fields.step);
  const { seq: _seq, t: _t, active_ms: _active, step: _step, ...values } = fields;
  return step === null ? null : { event: 'eval', step, phase: text(fields.phase), metrics: metrics(values) };
}

function readCheckpoint(fields: Fields): Read {
  const step = stepOf(fields.step);
  const file = readFile(fields);
  if (step === null || file === null || !checkpointName.test(file.path)) return null;
  return { event: 'checkpoint', step, ...file };
}

function readArtifact(fields: Fields): Read {
  const name = text(fields.name);
  const file = readFile(fields);
  return name === null || file === null ? null : { event: 'artifact', name, ...file };
}

function readWarning(fields: Fields): Read {
  const message = text(fields.message);
  return message === null ? null : { event: 'warning', code: text(fields.code) ?? 'warning', message };
}

function readFile(fields: Fields): { path: string; bytes: number; sha256: string } | null {
  const path = text(fields.path);
  const bytes = count(fields.bytes);
  const sha256 = text(fields.sha256);
  if (path === null || bytes === null || sha256 === null) return null;
  return isInside(path) && /^[0-9a-f]{64}$/.test(sha256) ? { path, bytes, sha256 } : null;
}

/** Whether a relative path stays below its folder, in words that are safe everywhere. */
function isInside(path: string): boolean {
  return path.length <= 400 && path.split('/').every((part) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(part));
}

function readFailure(error: Fields): TrainerFailure {
  return {
    code: text(error.code) ?? 'internal_error',
    message: text(error.message) ?? 'The trainer failed and did not say why.',
    hint: text(error.hint),
    retryable: error.retryable === true,
  };
}

function parse(json: string): Fields | null {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** A number that the database takes for one of a step. */
function stepOf(value: unknown): number | null {
  const step = count(value);
  return step === null || step > mostSteps ? null : step;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? storable(value.slice(0, mostText)) : null;
}

function texts(value: unknown): Record<string, string> {
  const entries = isFields(value) ? Object.entries(value).slice(0, mostMetrics) : [];
  return Object.fromEntries(
    entries.flatMap(([name, item]) => (typeof item === 'string' ? [[storable(name), storable(item)]] : [])),
  );
}

/** The numbers in a value and in the objects in it. */
function metrics(value: unknown): Metrics {
  if (!isFields(value)) return {};
  const flat = Object.entries(value).flatMap(([key, item]): [string, number][] => {
    const name = storable(key.slice(0, mostName));
    if (isFields(item)) return Object.entries(metrics(item)).map(([inner, each]) => [`${name}.${inner}`, each]);
    const found = number(item);
    return found === null ? [] : [[name, found]];
  });
  return Object.fromEntries(flat.slice(0, mostMetrics));
}
