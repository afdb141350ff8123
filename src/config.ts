import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { DatasetLimits } from '#datasets';
import { type Micro, OperatorError, parseCredits } from '#kernel';
import type { RunnerValues } from '#training';
import { datasetSettings } from './settings/dataset-settings.ts';
import { type IndexValues, indexSettings } from './settings/index-settings.ts';
import { type JobValues, jobSettings } from './settings/job-settings.ts';
import { type ObjectValues, objectSettings } from './settings/object-settings.ts';
import { byteUnit, number, type Setting, type SettingsOf, words } from './settings/setting.ts';
import { trainingSettings } from './settings/training-settings.ts';

export type Environment = Record<string, string | undefined>;

type Values = DatasetLimits &
  IndexValues &
  JobValues &
  ObjectValues &
  RunnerValues & {
    host: string;
    port: number;
    /** Where clients reach the service, without a slash at the end; null: at the host that a request names. */
    publicUrl: string | null;
    dataDir: string;
    /** null: the embedded PostgreSQL. */
    databaseUrl: string | null;
    databaseConnections: number;
    logLevel: string;
    corsOrigins: readonly string[];
    /** Proxies whose word about the client's address and protocol is taken: addresses and CIDR ranges. */
    trustedProxies: readonly string[];
    /** Who may open an account by himself: nobody, people of the identity provider, anyone. */
    signUp: 'closed' | 'oidc' | 'open';
    /** What an account has that somebody opened himself. */
    signUpMicro: Micro;
    /** Below it, credits are low. */
    lowBalanceMicro: Micro;
    /** null: nothing is sold. */
    stripeSecretKey: string | null;
    stripeWebhookSecret: string | null;
    /** Files that hold the secrets, instead. */
    stripeSecretKeyFile: string | null;
    stripeWebhookSecretFile: string | null;
    stripeUrl: string;
    /** What is sold, as the operator wrote it. */
    creditPacks: string | null;
    creditPrice: string | null;
    /** null: no identity provider. */
    oidcIssuer: string | null;
    oidcClientId: string | null;
    oidcClientSecret: string | null;
    /** File that holds the secret, instead. */
    oidcClientSecretFile: string | null;
    oidcName: string;
    /** Time that running calls have to finish when the server stops. */
    drainMs: number;
    operatorHost: string;
    /** null: nothing is served to the operator's tools. */
    operatorPort: number | null;
    /** Collector of traces; null: there are none. */
    otlpEndpoint: string | null;
    otelServiceName: string;
    /** Part of the traces that are kept, where the caller has not decided it. */
    traceRatio: number;
    /** How long calls of projects with auto-save are kept. */
    autosaveRetentionDays: number;
    /** How long retrieval events are kept. */
    feedbackRetentionDays: number;
    /** null: what suits the machine. */
    engineThreads: number | null;
    engineGpu: 'auto' | false;
    engineSequences: number;
    engineQueue: number;
    /** 0: never. */
    engineIdleUnloadMs: number;
    /** null: what the machine has. */
    engineMemoryBytes: number | null;
    hubEndpoint: string;
    hubToken: string | null;
  };

export type Config = Values & {
  /** The whole environment, for the engine's children, which get a few names of it. */
  environment: Environment;
};

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const signUpPolicies = ['closed', 'oidc', 'open'] as const;
const gpuModes = { auto: 'auto', off: false } as const;

/** Everything an operator can set. In the file a name is the variable's in lower case without `FANFOLD_`. */
export const settings: SettingsOf<Values> = {
  host: { env: 'HOST', fallback: '127.0.0.1', expected: 'an address to listen on', read: words },
  port: { env: 'PORT', fallback: 8787, expected: 'a port number (0 takes any free one)', read: number(0, 65_535) },
  publicUrl: {
    env: 'FANFOLD_PUBLIC_URL',
    fallback: null,
    expected: 'an address such as https://models.example',
    read: readPublicUrl,
  },
  dataDir: { env: 'FANFOLD_DATA_DIR', fallback: './data', expected: 'a folder', read: words },
  databaseUrl: { env: 'DATABASE_URL', fallback: null, expected: 'postgres://user:password@host/name', read: words },
  databaseConnections: {
    env: 'FANFOLD_DATABASE_CONNECTIONS',
    fallback: 16,
    expected: 'a number of connections, 4 to 1000',
    read: number(4, 1000),
  },
  logLevel: {
    env: 'FANFOLD_LOG_LEVEL',
    fallback: 'info',
    expected: `one of ${logLevels.join(', ')}`,
    read: (text: string) => logLevels.find((level) => level === text),
  },
  corsOrigins: {
    env: 'FANFOLD_CORS_ORIGINS',
    fallback: [],
    expected: 'origins such as https://app.example, separated by commas',
    read: readOrigins,
  },
  trustedProxies: {
    env: 'FANFOLD_TRUSTED_PROXIES',
    fallback: [],
    expected: 'addresses or ranges such as 10.0.0.0/8, separated by commas',
    read: readProxies,
  },
  signUp: {
    env: 'FANFOLD_SIGNUP',
    fallback: 'closed',
    expected: `one of ${signUpPolicies.join(', ')}`,
    read: (text: string) => signUpPolicies.find((policy) => policy === text),
  },
  signUpMicro: {
    env: 'FANFOLD_SIGNUP_CREDITS',
    fallback: 0n,
    expected: 'a number of credits, 0 or more, with at most six decimals',
    read: readCredits,
  },
  lowBalanceMicro: {
    env: 'FANFOLD_LOW_BALANCE_CREDITS',
    fallback: 1_000_000n,
    expected: 'a number of credits, 0 or more, with at most six decimals',
    read: readCredits,
  },
  stripeSecretKey: { env: 'STRIPE_SECRET_KEY', fallback: null, expected: 'a secret key', read: words },
  stripeSecretKeyFile: { env: 'STRIPE_SECRET_KEY_FILE', fallback: null, expected: 'a file', read: words },
  stripeWebhookSecret: { env: 'STRIPE_WEBHOOK_SECRET', fallback: null, expected: 'a signing secret', read: words },
  stripeWebhookSecretFile: { env: 'STRIPE_WEBHOOK_SECRET_FILE', fallback: null, expected: 'a file', read: words },
  stripeUrl: {
    env: 'STRIPE_API_URL',
    fallback: 'https://api.stripe.com',
    expected: 'the address of the payment provider',
    read: (text: string) => (/^https?:/.test(text) && URL.canParse(text) ? text : undefined),
  },
  creditPacks: { env: 'FANFOLD_CREDIT_PACKS', fallback: null, expected: 'packs of credits', read: words },
  creditPrice: { env: 'FANFOLD_CREDIT_PRICE', fallback: null, expected: 'a price', read: words },
  oidcIssuer: {
    env: 'FANFOLD_OIDC_ISSUER',
    fallback: null,
    expected: 'the address of an OpenID provider, as its discovery document gives it',
    read: (text: string) => (/^https?:/.test(text) && URL.canParse(text) ? text : undefined),
  },
  oidcClientId: {
    env: 'FANFOLD_OIDC_CLIENT_ID',
    fallback: null,
    expected: 'the name that the provider knows this service by',
    read: words,
  },
  oidcClientSecret: { env: 'FANFOLD_OIDC_CLIENT_SECRET', fallback: null, expected: 'a secret', read: words },
  oidcClientSecretFile: { env: 'FANFOLD_OIDC_CLIENT_SECRET_FILE', fallback: null, expected: 'a file', read: words },
  oidcName: { env: 'FANFOLD_OIDC_NAME', fallback: 'Single sign-on', expected: 'a name for people', read: words },
  drainMs: {
    env: 'FANFOLD_DRAIN_SECONDS',
    fallback: 25_000,
    expected: 'seconds, 0 to 3600',
    read: number(0, 3600, 1000),
  },
  operatorHost: {
    env: 'FANFOLD_OPERATOR_HOST',
    fallback: '127.0.0.1',
    expected: 'an address to listen on',
    read: words,
  },
  operatorPort: {
    env: 'FANFOLD_OPERATOR_PORT',
    fallback: null,
    expected: 'a port number (0 takes any free one)',
    read: number(0, 65_535),
  },
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: null,
    expected: 'the http address of an OpenTelemetry collector',
    read: (text: string) => (/^https?:\/\//.test(text) && URL.canParse(text) ? text : undefined),
  },
  otelServiceName: { env: 'OTEL_SERVICE_NAME', fallback: 'fanfold', expected: 'a name', read: words },
  traceRatio: {
    env: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: 1,
    expected: 'a number, 0 to 1',
    read: (text: string) => (/^(0|1|0?\.\d{1,9}|1\.0+)$/.test(text) ? Number(text) : undefined),
  },
  autosaveRetentionDays: {
    env: 'FANFOLD_AUTOSAVE_RETENTION_DAYS',
    fallback: 30,
    expected: 'days, 1 to 3650',
    read: number(1, 3650),
  },
  feedbackRetentionDays: {
    env: 'FANFOLD_FEEDBACK_RETENTION_DAYS',
    fallback: 365,
    expected: 'days, 1 to 3650',
    read: number(1, 3650),
  },
  ...objectSettings,
  ...datasetSettings,
  ...indexSettings,
  engineThreads: {
    env: 'FANFOLD_ENGINE_THREADS',
    fallback: null,
    expected: 'a number of threads, 1 to 256',
    read: number(1, 256),
  },
  engineGpu: {
    env: 'FANFOLD_ENGINE_GPU',
    fallback: false,
    expected: 'auto or off',
    read: (text: string) => (text === 'auto' || text === 'off' ? gpuModes[text] : undefined),
  },
  engineSequences: {
    env: 'FANFOLD_ENGINE_SEQUENCES',
    fallback: 8,
    expected: 'a number of calls at a time, 1 to 64',
    read: number(1, 64),
  },
  engineQueue: {
    env: 'FANFOLD_ENGINE_QUEUE',
    fallback: 64,
    expected: 'a number of waiting calls, 1 to 10000',
    read: number(1, 10_000),
  },
  engineIdleUnloadMs: {
    env: 'FANFOLD_ENGINE_IDLE_SECONDS',
    fallback: 1_800_000,
    expected: 'seconds, 0 (never unload) to 10000000',
    read: number(0, 10_000_000, 1000),
  },
  engineMemoryBytes: {
    env: 'FANFOLD_ENGINE_MEMORY_MIB',
    fallback: null,
    expected: 'MiB, 64 or more',
    read: number(64, 100_000_000, byteUnit),
  },
  ...trainingSettings,
  ...jobSettings,
  hubEndpoint: {
    env: 'HF_ENDPOINT',
    fallback: 'https://huggingface.co',
    expected: 'the address of a model hub',
    read: (text: string) => (URL.canParse(text) ? text : undefined),
  },
  hubToken: { env: 'HF_TOKEN', fallback: null, expected: 'an access token', read: words },
};

/**
 * Reads the settings: the environment first, then `fanfold.yaml` in the working folder (or the file that
 * `FANFOLD_CONFIG` names), then the defaults. Throws an `OperatorError` that names the first bad value.
 */
export function loadConfig(environment: Environment = process.env): Config {
  const file = readConfigFile(environment['FANFOLD_CONFIG']);
  const read = (setting: Setting<unknown>) => readSetting(setting, environment, file);
  // as: each setting reads a value of the type that stands under its name.
  const values = Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, read(setting)])) as Values;
  return { ...values, dataDir: resolve(values.dataDir), environment };
}

/** Name of a setting in the file. */
export function fileKeyOf(env: string): string {
  return env.replace(/^FANFOLD_/, '').toLowerCase();
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
    if (!named) return { path, values: new Map() };
    throw new OperatorError(`The configuration file ${path} cannot be read.`, { cause: error });
  }
  const known = new Set(Object.values(settings).map(({ env }) => fileKeyOf(env)));
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(parseFile(path, content))) {
    if (!known.has(key)) throw new OperatorError(`${path} has a setting ${JSON.stringify(key)}, which does not exist.`);
    values.set(key, Array.isArray(value) ? value.join(',') : String(value));
  }
  return { path, values };
}

function parseFile(path: string, content: string): object {
  let value: unknown;
  try {
    value = parse(content) ?? {};
  } catch (error) {
    const [line = ''] = String(error).split('\n');
    throw new OperatorError(`${path} is not valid YAML: ${line}`, { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new OperatorError(`${path} must hold settings, one "name: value" per line.`);
}

function readOrigins(text: string): string[] | undefined {
  const origins = text.split(',').map((part) => part.trim());
  return origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin) ? origins : undefined;
}

function readProxies(text: string): string[] | undefined {
  const proxies = text.split(',').map((part) => part.trim());
  return proxies.every(isRange) ? proxies : undefined;
}

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function readCredits(text: string): Micro | undefined {
  const micro = parseCredits(text);
  return micro !== null && micro >= 0n ? micro : undefined;
}

function readPublicUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
