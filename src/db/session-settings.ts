/**
 * What each connection asks for, whatever the role or the database says: statements of ours and of the job queue are written
 * for these. With other strings a pattern lost its backslashes, with other dates no time could be read, and with another
 * isolation calls at the same time refused each other.
 */
const settings = {
  standard_conforming_strings: 'on',
  DateStyle: 'ISO',
  default_transaction_isolation: 'read committed',
};

/** As a connection sends them when it begins, together with others. */
export function sessionOptions(others: Record<string, string> = {}): string {
  return Object.entries({ ...settings, ...others })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
}
