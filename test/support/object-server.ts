import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { S3Location } from '#objects';

/**
 * A server on loopback that speaks S3, with one empty bucket. With `refusesLists` its objects may be read, also those that
 * are not there, but not listed.
 */
export async function startS3Server({
  refusesLists = false,
} = {}): Promise<S3Location & { stop: () => Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'fanfold-s3-'));
  const bucket = 'fanfold';
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  server.middleware.unshift(async (context, next) => {
    if (!/^\/[^/]+\/$/.test(context.path)) return next();
    if (refusesLists) {
      context.status = 403;
      context.body = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
      return;
    }
    // It signs the path without the slash at its end, which clients sign as it is: lists are taken unsigned.
    delete context.headers['authorization'];
    return next();
  });
  const { port } = await server.run();
  return {
    bucket,
    prefix: 'test/',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    stop: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
