import { readFileSync } from 'node:fs';
import { mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { parseCredits, systemCodeOf } from '#kernel';
import { modelIdPattern } from './base-model.ts';
import { withFileLock } from './file-lock.ts';
import { ModelError, reasonOf } from './model-error.ts';
import { type ModelSettings, SettingsSchema } from './model-settings.ts';

/**
 * The installed models of a data folder: `models/registry.json`. An entry either installs a catalogue entry (`files`
 * only) or describes a model that a person added or pulled (`added` too).
 */
const File = Type.Object({
  /** Absolute. */
  path: Type.String({ minLength: 1 }),
  size_bytes: Type.Integer({ minimum: 1 }),
  modified_ms: Type.Number(),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
const Hub = Type.Object({
  repo: Type.String(),
  revision: Type.String(),
  commit: Type.String(),
  /** In the repository: the first one of a split model. */
  file: Type.String(),
});
const addedFields = {
  name: Type.String({ minLength: 1, maxLength: 80 }),
  /** As its publisher names it; null: not known. */
  license: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  parameters: Type.Integer({ minimum: 1 }),
  max_context_tokens: Type.Integer({ minimum: 1 }),
  credits_per_gpu_minute: Type.String(),
  price_version: Type.String({ minLength: 1 }),
};
const Added = Type.Union([
  Type.Object({
    ...addedFields,
    kind: Type.Literal('text'),
    reasoning_efforts: Type.Array(Type.Enum(['none', 'low', 'high'])),
    tools: Type.Boolean(),
    parallel_tool_calls: Type.Boolean(),
    /** Why a capability is missing. */
    missing: Type.Object({
      tools: Type.Optional(Type.String()),
      parallel_tool_calls: Type.Optional(Type.String()),
      reasoning_effort: Type.Optional(Type.String()),
    }),
  }),
  Type.Object({
    ...addedFields,
    kind: Type.Literal('embedding'),
    dimensions: Type.Integer({ minimum: 1 }),
    query_instruction: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  }),
  Type.Object({ ...addedFields, kind: Type.Literal('reranker') }),
]);
const Entry = Type.Object({
  /** The parts of a split model in order; else one. */
  files: Type.Array(File, { minItems: 1 }),
  /** Where the files were pulled from; null: they were here. */
  hub: Type.Union([Hub, Type.Null()]),
  installed_at: Type.String(),
  added: Type.Union([Added, Type.Null()]),
});

export type RegistryEntry = Type.Static<typeof Entry>;
export type RegisteredFile = Type.Static<typeof File>;
export type HubOrigin = Type.Static<typeof Hub>;
export type AddedModel = Type.Static<typeof Added>;

export type Registry = {
  entries: ReadonlyMap<string, RegistryEntry>;
  settings: ReadonlyMap<string, ModelSettings>;
  /** One line for each entry that was left out because it does not read. */
  problems: readonly string[];
};

const version = 1;

export function registryPath(dataDir: string): string {
  return join(dataDir, 'models', 'registry.json');
}

/**
 * Reads the registry; a missing file is an empty one. An entry that does not read is left out and reported. Throws
 * `ModelError` when the file as a whole does not read.
 */
export function readRegistry(path: string): Registry {
  const entries = new Map<string, RegistryEntry>();
  const settings = new Map<string, ModelSettings>();
  const problems: string[] = [];
  const file = readRaw(path);
  for (const [id, raw] of Object.entries(file.models)) {
    const problem = problemOf(id, raw);
    if (problem === null && Check(Entry, raw)) entries.set(id, raw);
    else problems.push(`${path}: the entry ${JSON.stringify(id.slice(0, 80))} is left out: ${problem}`);
  }
  for (const [id, raw] of Object.entries(file.settings)) {
    if (Check(SettingsSchema, raw)) settings.set(id, raw);
    else problems.push(`${path}: the settings of ${JSON.stringify(id.slice(0, 80))} do not read; they are left out.`);
  }
  return { entries, settings, problems };
}

/**
 * Sets one entry, or removes it with null, its settings too. Settings that are left out stay. Other entries keep every field, also those
 * that this version does not know.
 */
export function updateRegistry(
  path: string,
  id: string,
  entry: RegistryEntry | null,
  settings: ModelSettings | null | undefined = entry === null ? null : undefined,
): Promise<void> {
  return update(path, ({ models, settings: all }) => ({
    models: withValue(models, id, entry),
    settings: withValue(all, id, settings),
  }));
}

/** Sets how a model is loaded; null: as without settings. */
export function updateSettings(path: string, id: string, settings: ModelSettings | null): Promise<void> {
  return update(path, ({ models, settings: all }) => ({ models, settings: withValue(all, id, settings) }));
}

async function update(path: string, change: (file: RegistryFile) => RegistryFile): Promise<void> {
  const lock = { waitMs: 10_000, busyMessage: `Another command holds ${path}.lock; try again when it has ended.` };
  await withFileLock(`${path}.lock`, lock, async () => {
    await writeAtomically(path, `${JSON.stringify({ version, ...change(readRaw(path)) }, null, 2)}\n`);
  });
}

function withValue(values: Record<string, unknown>, id: string, value: object | null | undefined) {
  if (value === undefined) return values;
  const { [id]: _, ...others } = values;
  return value === null ? others : { ...others, [id]: value };
}

const Whole = Type.Object({
  version: Type.Integer(),
  models: Type.Record(Type.String(), Type.Unknown()),
  settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

type RegistryFile = { models: Record<string, unknown>; settings: Record<string, unknown> };

function readRaw(path: string): RegistryFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return { models: {}, settings: {} };
    throw new ModelError(`Cannot read ${path}: ${reasonOf(error)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ModelError(`${path} is damaged (not JSON); repair it, or remove it and add the models again.`);
  }
  if (!Check(Whole, value)) {
    throw new ModelError(`${path} is damaged; repair it, or remove it and add the models again.`);
  }
  if (value.version !== version) {
    throw new ModelError(`${path} was written by another version of Fanfold (format ${value.version}).`);
  }
  return { models: value.models, settings: value.settings ?? {} };
}

function problemOf(id: string, raw: unknown): string | null {
  if (!modelIdPattern.test(id)) return 'the id has characters that are not allowed';
  if (!Check(Entry, raw)) {
    const [error] = Errors(Entry, raw)[1].toSorted((a, b) => b.instancePath.length - a.instancePath.length);
    return error ? `${error.instancePath.slice(1).replaceAll('/', '.')} ${error.message}`.trim() : 'wrong shape';
  }
  if (raw.added) {
    const rate = parseCredits(raw.added.credits_per_gpu_minute);
    if (rate === null || rate < 0n) return 'added.credits_per_gpu_minute is not a rate';
  }
  if (Number.isNaN(Date.parse(raw.installed_at))) return 'installed_at is not a time';
  return null;
}

/** Readers see the old file or the new one, also after a crash. */
async function writeAtomically(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw new ModelError(`Cannot write ${path}: ${reasonOf(error)}`);
  }
  await syncFolder(dirname(path));
}

/** Makes a rename in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch {
    // Some file systems cannot sync a folder; the rename itself is still atomic.
  } finally {
    await handle.close();
  }
}
