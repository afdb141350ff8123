import { isIP } from 'node:net';
import { number, type SettingsOf, words } from './setting.ts';

export type ServerValues = {
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
  /** Of one address at a time, that of a trusted proxy excepted. */
  connectionsPerAddress: number;
};

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export const serverSettings: SettingsOf<ServerValues> = {
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
    expected: 'origins such as https://app.example or app://localhost, separated by commas',
    read: readOrigins,
  },
  trustedProxies: {
    env: 'FANFOLD_TRUSTED_PROXIES',
    fallback: [],
    expected: 'addresses or ranges such as 10.0.0.0/8, separated by commas',
    read: readProxies,
  },
  connectionsPerAddress: {
    env: 'FANFOLD_CONNECTIONS_PER_ADDRESS',
    fallback: 2_000,
    expected: 'a number of connections, 1 to 10000',
    read: number(1, 10_000),
  },
};

function readPublicUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function readOrigins(text: string): string[] | undefined {
  const origins = text.split(',').map((part) => part.trim().replace(/\/$/, ''));
  return origins.every(isOrigin) ? origins : undefined;
}

/** Desktop programs and browser extensions have schemes of their own, whose origin the URL parser does not tell. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol } = new URL(text);
  if (origin !== 'null') return origin === text;
  return protocol !== 'file:' && /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(text);
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
