/**
 * What each connection asks for, whatever the role or the database says: statements of ours and of the job queue are written
 * for these. With other strings a pattern lost its backslashes, with other dates no time could be read, and with another
 * isolation calls at the same time refused each other. Bounds for statements and locks that suit people would end migrations,
 * imports, and a start that waits for another one: who asks bounds each statement here.
 */
const settings = {
  standard_conforming_strings: 'on',
  DateStyle: 'ISO',
  default_transaction_isolation: 'read committed',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
};

/** As a connection sends them when it begins, together with others. */
export function sessionOptions(others: Record<string, string> = {}): string {
  return Object.entries({ ...settings, ...others })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
}
