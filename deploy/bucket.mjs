// Makes the bucket of FANFOLD_OBJECT_STORE where it is missing, and ends. Servers refuse to start without it; a new object store has none.
import { setTimeout } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const env = process.env;
const [, bucket] = /^s3:\/\/([^/]+)/.exec(env.FANFOLD_OBJECT_STORE ?? '') ?? [];
if (!bucket) throw new Error('FANFOLD_OBJECT_STORE names no bucket: it must be s3://bucket or s3://bucket/prefix.');
const client = new S3Client({
  region: env.FANFOLD_S3_REGION || 'us-east-1',
  endpoint: env.FANFOLD_S3_ENDPOINT || undefined,
  forcePathStyle: true,
  credentials: {
    accessKeyId: env.FANFOLD_S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.FANFOLD_S3_SECRET_ACCESS_KEY ?? '',
  },
});

// The store may still be starting: without an answer, or with one that says so, it is asked again.
for (let tries = 1; ; tries += 1) {
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    console.log(`The bucket ${bucket} was made.`);
    break;
  } catch (error) {
    if (error.name === 'BucketAlreadyOwnedByYou' || error.name === 'BucketAlreadyExists') {
      console.log(`The bucket ${bucket} is there.`);
      break;
    }
    const status = error.$metadata?.httpStatusCode ?? 0;
    if (tries === 60 || (status >= 400 && status < 500)) throw error;
    await setTimeout(1000);
  }
}
