import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { fault, messageOf, OperatorError } from '#kernel';
import { digesting } from './digesting.ts';
import { checkKey, isKey, type ObjectStore } from './object-store.ts';

export type S3Location = {
  bucket: string;
  /** Begins every key; empty or ending with `/`. */
  prefix: string;
  region: string;
  /** Another server that speaks S3; its buckets are part of the path. */
  endpoint: string | null;
  /** Null: found by the SDK, in the environment or from the machine's role. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
};

/** Parts of an upload, of which a few are in memory at a time. S3 takes 10,000 at most: objects up to 160 GB. */
const partBytes = 16 * 1024 * 1024;
const partsAtOnce = 2;
const attempts = 4;

/** How long a server may be silent before an attempt has failed, in ms. */
export type S3Timeouts = {
  connectMs: number;
  /** Until it begins to answer what has no content. */
  answerMs: number;
  /** Between two bytes, also of content that the reader takes slowly. */
  idleMs: number;
};

const defaultTimeouts: S3Timeouts = { connectMs: 10_000, answerMs: 20_000, idleMs: 120_000 };

export function openS3Store(
  { bucket, prefix, region, endpoint, credentials }: S3Location,
  { connectMs, answerMs, idleMs }: S3Timeouts = defaultTimeouts,
): ObjectStore {
  const client = new S3Client({
    region,
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: connectMs, socketTimeout: idleMs, throwOnRequestTimeout: true },
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
  });
  const soon = { requestTimeout: answerMs };
  const place = (key: string) => ({ Bucket: bucket, Key: prefix + checkKey(key) });

  return {
    async put(key, source, { signal } = {}) {
      const { through, result } = digesting();
      const params = { ...place(key), Body: through };
      const upload = new Upload({ client, params, partSize: partBytes, queueSize: partsAtOnce });
      const failed = new AbortController();
      // The first failure ends both sides and is the one to throw: a source that fails must not become a short object.
      const fail = (error: unknown) => {
        failed.abort(error);
        void upload.abort();
      };
      const ends = AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]);
      await Promise.all([
        pipeline(source, through, { signal: ends }).catch(fail),
        upload.done().catch((error: unknown) => fail(asUnavailable(error))),
      ]);
      failed.signal.throwIfAborted();
      return result();
    },

    async get(key, range) {
      const options = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
      const { Body: body } = await client
        .send(new GetObjectCommand({ ...place(key), ...options }), soon)
        .catch(missing);
      if (!(body instanceof Readable)) throw new Error('S3 gave no stream. This is a bug.');
      return body;
    },

    async size(key) {
      const head = new HeadObjectCommand(place(key));
      try {
        const { ContentLength: bytes = 0 } = await client.send(head, soon);
        return bytes;
      } catch (error) {
        if (isMissing(error)) return null;
        throw asUnavailable(error);
      }
    },

    async remove(key) {
      await client.send(new DeleteObjectCommand(place(key)), soon).catch(rethrow);
    },

    async *list({ atOnce = 1_000 } = {}) {
      const listing = { Bucket: bucket, Prefix: prefix, MaxKeys: atOnce };
      let after: string | undefined;
      for (let isMore = true; isMore; ) {
        // The older way to list: the last key goes on from page to page, with every server that speaks S3.
        const page: ListObjectsCommand = new ListObjectsCommand({ ...listing, Marker: after });
        const listed = client.send(page, soon);
        const { Contents: found = [], IsTruncated: isCut = false } = await listed.catch(listingRefused);
        const objects = found.map(({ Key: key = '', Size: bytes = 0, LastModified: changed }) => ({
          key: key.slice(prefix.length),
          bytes,
          // Without a time of change it counts as new.
          changedMs: changed?.getTime() ?? Number.POSITIVE_INFINITY,
        }));
        yield objects.filter(({ key }) => isKey(key));
        after = found.at(-1)?.Key;
        isMore = isCut && after !== undefined;
      }
    },

    async check() {
      const probe = { Bucket: bucket, Key: `${prefix}probe-${randomBytes(6).toString('hex')}` };
      try {
        // Not empty: of an empty body the SDK does not see the length, and says so at each try.
        await client.send(new PutObjectCommand({ ...probe, Body: 'probe' }), soon);
        await client.send(new DeleteObjectCommand(probe), soon);
      } catch (cause) {
        const at = endpoint === null ? '' : ` at ${endpoint}`;
        throw new OperatorError(`The bucket ${bucket} cannot be used${at}: ${reasonOf(cause)}.`, { cause });
      }
    },

    close: async () => client.destroy(),
  };
}

/** For the operator: what S3 calls it, or why there was no answer. */
function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceException) return error.name;
  // Of several addresses that were tried, Node gives the codes and no message.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ');
  return messageOf(error).replace(/\.$/, '');
}

function missing(error: unknown): never {
  throw isMissing(error) ? fault('artifact_not_found', { cause: error }) : asUnavailable(error);
}

function rethrow(error: unknown): never {
  throw asUnavailable(error);
}

/** Listing has a permission of its own: whoever lacks it sees that error. */
function listingRefused(error: unknown): never {
  throw isLockedOut(error) ? error : asUnavailable(error);
}

/**
 * No answer, or one that says that it cannot at present, or that our credentials are not good: the same may work later. What
 * else S3 refuses it refuses again.
 */
function asUnavailable(error: unknown): unknown {
  const status = statusOf(error);
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429 && !isLockedOut(error);
  const isOurs = error instanceof Error && error.name === 'AbortError';
  if (isRefusal || isOurs) return error;
  return fault('service_unavailable', {
    message: 'The service cannot reach its files at present.',
    retryAfterSeconds: 5,
    cause: error,
  });
}

/** Credentials are changed and run out while servers run; no work is to fail for that which can wait for the next ones. */
function isLockedOut(error: unknown): boolean {
  const status = statusOf(error);
  return status === 401 || status === 403 || (error instanceof Error && expiries.has(error.name));
}

/** What is 400 and not 403 with Amazon's. */
const expiries = new Set(['ExpiredToken', 'InvalidToken', 'TokenRefreshRequired']);

function statusOf(error: unknown): number {
  return error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0;
}

function isMissing(error: unknown): boolean {
  return statusOf(error) === 404;
}
