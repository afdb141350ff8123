import { OperatorError } from '#kernel';

const protocols = ['postgres:', 'postgresql:'];
/** With each of these the driver checks the certificate, name and all; of all but the last it warns, in lines that are no JSON. */
const checked = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const modes = ['disable', 'no-verify', ...checked];
/** A comma where the hosts stand, not in a password with a sign in it that had to be written otherwise. */
const severalHosts = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#@]*,[^/?#@]*(?:[/?][^@#]*)?$/;

/**
 * The address of a database in the words of the driver. One that it would misread throws an `OperatorError`, without the
 * text itself, which may hold a password.
 */
export function driverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (severalHosts.test(text) || isList(url?.searchParams.get('host')))
    throw new OperatorError(
      'The database URL names several hosts, which is not supported: give one name (of a proxy, in DNS, or an address that moves) that always leads to the primary.',
    );
  // Of a password with a # in it, a part would be taken for the name of a host.
  if (!url || !protocols.includes(url.protocol) || url.hash !== '')
    throw new OperatorError(
      'The database URL is not of the form postgres://user:password@host:port/database, where a # in the password is written %23, and so on.',
    );
  const { searchParams } = url;
  const mode = searchParams.get('sslmode');
  if (mode === null || searchParams.get('uselibpqcompat') === 'true') return text;
  if (!modes.includes(mode))
    throw new OperatorError(`The sslmode of the database URL must be one of ${modes.join(', ')}.`);
  if (checked.includes(mode)) searchParams.set('sslmode', 'verify-full');
  // libpq's word for the authorities that are known without a file.
  if (searchParams.get('sslrootcert') === 'system') searchParams.delete('sslrootcert');
  return url.href;
}

/** A path of a socket may hold commas. */
function isList(host: string | null | undefined): boolean {
  return host?.includes(',') === true && !host.startsWith('/');
}

/** Host, port and database of a URL, never its password. */
export function addressOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'local socket'}${port ? `:${port}` : ''}${pathname}`;
}
