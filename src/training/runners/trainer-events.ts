import { isFields, storable } from '#kernel';

/*
 * Events of a trainer, lines `@evt {json}` of its output. Trainers may run elsewhere, so nothing is trusted: a line that lacks
 * a field that its event needs is no event, and fields that no event has are dropped.
 */

export const eventPrefix = '@evt ';

export type TrainerMetrics = Record<string, number>;
export type TrainerFailure = { code: string; message: string; hint: string | null; retryable: boolean };

/** Undefined: the value is invalid, and with it the event. */
type FieldReader = (value: unknown) => unknown;

const eventFields = {
  hello: {
    protocol: count,
    versions: texts,
    device: orElse(text, 'unknown'),
    threads: orElse(count, null),
    pid: orElse(count, null),
  },
  prepared: {
    samples: count,
    trained_tokens: orElse(count, 0),
    context_tokens: orElse(count, 0),
    dropped: metrics,
    steps_total: count,
    params_trainable: orElse(count, null),
    mem_estimate_mb: orElse(number, null),
  },
  started: { resumed_step: orElse(stepNumber, 0) },
  progress: {
    step: stepNumber,
    epoch: orElse(number, null),
    loss: orElse(number, null),
    lr: orElse(number, null),
    grad_norm: orElse(number, null),
    tokens: orElse(count, null),
    tok_s: orElse(number, null),
    eta_ms: orElse(number, null),
    peak_mem_mb: orElse(number, null),
  },
  /** `metrics`: all other fields of the line. */
  eval: { step: stepNumber, phase: orElse(text, null), metrics },
  /** `path`: relative to `out_dir`. */
  checkpoint: { step: stepNumber, path: checkpointName, bytes: count, sha256 },
  artifact: { name: text, path: relativePath, bytes: count, sha256 },
  warning: { code: orElse(text, 'warning'), message: text },
  finished: { best: metrics },
  cancelled: { best: metrics },
  failed: { error: failure },
} satisfies Record<string, Record<string, FieldReader>>;

type EventFields = typeof eventFields;
type EventName = keyof EventFields;
type FieldsOf<Name extends EventName> = {
  [Field in keyof EventFields[Name]]: EventFields[Name][Field] extends (value: unknown) => infer Value
    ? Exclude<Value, undefined>
    : never;
};

/** Every event has a number, the trainer's monotonic clock and the active time so far. */
export type TrainerEvent = { seq: number; t: number; active_ms: number } & {
  [Name in EventName]: { event: Name } & FieldsOf<Name>;
}[EventName];

export function readEvent(line: string): TrainerEvent | null {
  const fields = line.startsWith(eventPrefix) ? parse(line.slice(eventPrefix.length)) : undefined;
  if (!isFields(fields) || typeof fields.event !== 'string' || !Object.hasOwn(eventFields, fields.event)) return null;
  const { event, seq, t, active_ms, step, ...rest } = fields;
  const readers: Record<string, FieldReader> = {
    seq: positive,
    t: number,
    active_ms: notNegative,
    ...eventFields[fields.event as EventName], // as: it is one of them
  };
  const values: Record<string, unknown> = { ...fields, ...(event === 'eval' ? { metrics: rest } : {}) };
  const read = Object.entries(readers).map(([name, reader]) => [name, reader(values[name])] as const);
  if (read.some(([, value]) => value === undefined)) return null;
  // as: its readers give these fields.
  return { event, ...Object.fromEntries(read) } as unknown as TrainerEvent;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function orElse<Value, Default>(
  read: (value: unknown) => Value | undefined,
  fallback: Default,
): (value: unknown) => Value | Default {
  return (value) => read(value) ?? fallback;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function notNegative(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? number(value) : undefined;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function positive(value: unknown): number | undefined {
  return count(value) || undefined;
}

/** As large as the database stores it. */
function stepNumber(value: unknown): number | undefined {
  const step = count(value);
  return step === undefined || step >= 2 ** 31 ? undefined : step;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? storable(value.slice(0, 4_000)) : undefined;
}

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

function sha256(value: unknown): string | undefined {
  return matching(value, /^[0-9a-f]{64}$/);
}

function checkpointName(value: unknown): string | undefined {
  return matching(value, /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/);
}

/** Stays below its folder, in characters that are safe everywhere. */
function relativePath(value: unknown): string | undefined {
  const path = matching(value, /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/);
  return path === undefined || path.length > 400 ? undefined : path;
}

function failure(value: unknown): TrainerFailure {
  const error = isFields(value) ? value : {};
  return {
    code: text(error.code) ?? 'internal_error',
    message: text(error.message) ?? 'The trainer failed and did not say why.',
    hint: text(error.hint) ?? null,
    retryable: error.retryable === true,
  };
}

const maxEntries = 200;

function texts(value: unknown): Record<string, string> {
  const entries = isFields(value) ? Object.entries(value).slice(0, maxEntries) : [];
  return Object.fromEntries(
    entries.flatMap(([name, item]) => (typeof item === 'string' ? [[storable(name), storable(item)]] : [])),
  );
}

function metrics(value: unknown): TrainerMetrics {
  if (!isFields(value)) return {};
  const flat = Object.entries(value).flatMap(([key, item]): [string, number][] => {
    const name = storable(key.slice(0, 200));
    if (isFields(item)) return Object.entries(metrics(item)).map(([inner, each]) => [`${name}.${inner}`, each]);
    const found = number(item);
    return found === undefined ? [] : [[name, found]];
  });
  return Object.fromEntries(flat.slice(0, maxEntries));
}
