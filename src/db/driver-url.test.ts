import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { OperatorError } from '#kernel';
import { driverUrl } from './driver-url.ts';

const place = 'postgres://fanfold:p%23w@db.internal:5432/fanfold';

/** What the driver makes of an address: whether it would use TLS and check the certificate. */
function tlsOf(query: string): unknown {
  const { connectionParameters } = new pg.Client({ connectionString: driverUrl(`${place}${query}`) }) as unknown as {
    connectionParameters: { ssl: unknown };
  };
  return connectionParameters.ssl;
}

test('whatever an address calls TLS, certificates are checked, unless it says that they are not', () => {
  for (const mode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'])
    assert.deepEqual(tlsOf(`?sslmode=${mode}`), {}, mode);
  assert.deepEqual(tlsOf('?sslmode=require&sslrootcert=system'), {});
  assert.deepEqual(tlsOf('?sslmode=no-verify'), { rejectUnauthorized: false });
  assert.equal(tlsOf('?sslmode=disable'), false);
  assert.equal(tlsOf(''), false);
});

test('the driver has nothing to warn of: its lines would stand in a log that is JSON', async () => {
  const warned: string[] = [];
  const hear = (warning: Error) => warned.push(warning.message);
  process.on('warning', hear);
  for (const mode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify', 'disable'])
    tlsOf(`?sslmode=${mode}`);
  await new Promise(setImmediate);
  process.off('warning', hear);
  assert.deepEqual(warned, []);
});

test('all else of an address reaches the driver as it is', () => {
  const query = '?sslmode=require&options=-c%20search_path%3Da%2Cb&application_name=one%26two';
  const { searchParams, password, host } = new URL(driverUrl(`${place}${query}`));
  assert.deepEqual(Object.fromEntries(searchParams), {
    sslmode: 'verify-full',
    options: '-c search_path=a,b',
    application_name: 'one&two',
  });
  assert.deepEqual([password, host], ['p%23w', 'db.internal:5432']);
  assert.equal(driverUrl(place), place);
  const compatible = `${place}?uselibpqcompat=true&sslmode=require`;
  assert.equal(driverUrl(compatible), compatible);
});

test('an address that would be misread is refused without a word of it', () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => driverUrl(text),
      (error) => error instanceof OperatorError && message.test(error.message) && !error.message.includes('hunter'),
    );
  for (const text of [
    'postgres://fanfold:12#hunter@db/fanfold',
    'mysql://fanfold:hunter@db/fanfold',
    'host=db password=hunter',
    'postgres://fanfold:1,2#hunter@db/fanfold',
    'postgres://fanfold:1,2/hunter@db/fanfold',
  ])
    refused(text, /^The database URL is not of the form/);
  refused(`${place}?sslmode=hunter`, /sslmode of the database URL must be one of disable, no-verify, allow/);
  for (const hosts of [
    'one,two/fanfold',
    'one:5432,two:5433/fanfold?target_session_attrs=primary',
    'one:5432,two',
    'db/fanfold?host=one,two',
  ])
    refused(`postgres://fanfold:hunter@${hosts}`, /names several hosts, .* leads to the primary/);
  for (const one of [
    'postgres://fanfold:1,2@db/fanfold?options=-c%20search_path%3Da,b',
    'postgres://db/fanfold?host=/data,old',
  ])
    assert.equal(driverUrl(one), one);
});
