import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { fault } from './faults.ts';

/** Signs and reads list cursors. A cursor names its scope (list, account, filters), so it is useless elsewhere. */
export type CursorCodec = {
  encode: (scope: readonly string[], position: readonly string[]) => string;
  /** Throws `invalid_cursor` for anything not made by `encode` with the same scope. */
  decode: (scope: readonly string[], cursor: string) => string[];
};

const macBytes = 16;

/** @param secret at least 32 random bytes, the same on every replica. */
export function createCursorCodec(secret: Buffer): CursorCodec {
  const mac = (payload: string, scope: readonly string[]) =>
    createHmac('sha256', secret).update(scopeDigest(scope)).update(payload).digest().subarray(0, macBytes);

  return {
    encode(scope, position) {
      const payload = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${payload}.${mac(payload, scope).toString('base64url')}`;
    },
    decode(scope, cursor) {
      const [payload, signature, ...rest] = cursor.split('.');
      if (!payload || !signature || rest.length > 0 || cursor.length > 2048)
        throw fault('invalid_cursor', { param: 'cursor' });
      // Compared as text: base64url has several spellings of one byte string, and only ours is a cursor.
      const expected = Buffer.from(mac(payload, scope).toString('base64url'));
      const given = Buffer.from(signature);
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw fault('invalid_cursor', { param: 'cursor' });
      return readPosition(payload);
    },
  };
}

function scopeDigest(scope: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(scope)).digest();
}

function readPosition(payload: string): string[] {
  const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (!Array.isArray(value)) throw fault('invalid_cursor', { param: 'cursor' });
  return value.map(String);
}
