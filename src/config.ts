import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { isFields, messageOf, nearestName, OperatorError, systemCodeOf } from '#kernel';
import type { Setting } from './settings/setting.ts';
import { type SettingsValues, settings } from './settings/settings.ts';

export type Environment = Record<string, string | undefined>;

export type Config = SettingsValues & {
  /** The whole environment, for child processes, which get a few names of it. */
  environment: Environment;
};

/**
 * Reads the settings: the environment first, then `fanfold.yaml` in the working folder (or the file that
 * `FANFOLD_CONFIG` names), then the defaults. Throws an `OperatorError` that names the first bad value.
 */
export function loadConfig(environment: Environment = process.env): Config {
  const file = readConfigFile(environment['FANFOLD_CONFIG']);
  const read = (setting: Setting<unknown>) => readSetting(setting, environment, file);
  const entries = Object.entries(settings).map(([name, setting]) => [name, read(setting)]);
  // as: each setting reads a value of the type that stands under its name.
  const values = Object.fromEntries(entries) as SettingsValues;
  return { ...values, dataDir: resolve(values.dataDir), environment };
}

/** Name of a setting in the file. */
export function fileKeyOf(env: string): string {
  return env.replace(/^FANFOLD_/, '').toLowerCase();
}

/**
 * Variables with our prefix that are not settings: the path of the file, the place of the trainer's environment, and
 * keys that examples for clients use.
 */
const otherVariables = new Set(['FANFOLD_CONFIG', 'FANFOLD_VENV', 'FANFOLD_KEY', 'FANFOLD_API_KEY']);

/**
 * One line about variables that are named like settings but are none, with the setting that may have been meant; null
 * where there are none. It is a warning only: another release, or another program, may know them.
 */
export function unknownVariables(environment: Environment): string | null {
  const known = Object.values(settings).map(({ env }) => env);
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('FANFOLD_') && !known.includes(name) && !otherVariables.has(name),
  );
  if (unknown.length === 0) return null;
  const named = unknown.sort().map((name) => {
    // Some settings have the name that every program has for them: PORT, HOST, DATABASE_URL.
    const plain = name.slice('FANFOLD_'.length);
    const nearest = known.includes(plain) ? plain : nearestName(name, known);
    return nearest === null ? name : `${name} (did you mean ${nearest}?)`;
  });
  return `There are no such settings: ${named.join(', ')}.`;
}

type ConfigFile = { path: string; values: Map<string, string> };

function readSetting<T>(setting: Setting<T>, environment: Environment, file: ConfigFile): T {
  const { env, fallback, expected, read } = setting;
  const fromEnvironment = environment[env];
  // An empty variable is an unset one: shells and compose files can hardly say it otherwise.
  const isSet = fromEnvironment !== undefined && fromEnvironment !== '';
  const text = isSet ? fromEnvironment : file.values.get(fileKeyOf(env));
  if (text === undefined) return fallback;
  const value = read(text);
  if (value !== undefined) return value;
  throw new OperatorError(`${isSet ? env : `${fileKeyOf(env)} in ${file.path}`} must be ${expected}.`);
}

const defaultFile = 'fanfold.yaml';

function readConfigFile(named: string | undefined): ConfigFile {
  const path = named || defaultFile;
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    // The default file need not exist. A file that exists but cannot be read is an error, as is a missing one that was
    // named.
    if (!named && systemCodeOf(error) === 'ENOENT') return { path, values: new Map() };
    throw new OperatorError(`The configuration file ${path} cannot be read.`, { cause: error });
  }
  const known = new Set(Object.values(settings).map(({ env }) => fileKeyOf(env)));
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(parseFile(path, content))) {
    if (!known.has(key)) throw new OperatorError(unknownSetting(path, key, known));
    const text = textOf(value);
    if (text === undefined) throw new OperatorError(`${key} in ${path} must be one value, or a list of values.`);
    if (text !== '') values.set(key, text);
  }
  return { path, values };
}

function unknownSetting(path: string, key: string, known: ReadonlySet<string>): string {
  const inFile = fileKeyOf(key);
  const nearest = nearestName(inFile, known);
  const hint = known.has(inFile) ? `; in the file it is called ${inFile}` : nearest ? `; did you mean ${nearest}?` : '';
  return `${path} has a setting ${JSON.stringify(key)}, which does not exist${hint}${hint.endsWith('?') ? '' : '.'}`;
}

/** A name without a value is not set, as an empty variable is not. */
function textOf(value: unknown): string | undefined {
  if (value === null) return '';
  if (!Array.isArray(value)) return typeof value === 'object' ? undefined : String(value);
  const texts = value.map((each) => (typeof each === 'object' ? undefined : String(each)));
  return texts.includes(undefined) ? undefined : texts.join(',');
}

function parseFile(path: string, content: string): object {
  let value: unknown;
  try {
    // Every value stays text: a secret of digits would lose its leading zeros as a number.
    value = parse(content, { schema: 'failsafe', customTags: ['null'] }) ?? {};
  } catch (error) {
    const [line = ''] = messageOf(error).split('\n');
    throw new OperatorError(`${path} is not valid YAML: ${line.replace(/:$/, '')}.`, { cause: error });
  }
  if (isFields(value)) return value;
  throw new OperatorError(`${path} must hold settings, one "name: value" per line.`);
}
