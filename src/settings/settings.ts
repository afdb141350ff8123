import {
  allRoles,
  expectedRoles,
  readCredits,
  readObjectStore,
  readOrigins,
  readPath,
  readProxies,
  readPublicUrl,
  readRatio,
  readRoles,
} from './readers.ts';
import { httpUrl, integer, oneOf, type SettingValues, setting, text } from './setting.ts';

const mib = 1024 * 1024;
const seconds = 1000;
const credits = 'a number of credits, 0 or more, with at most six decimals';
const ray = 'the address of the dashboard of a Ray cluster, such as http://ray.internal:8265';

/** Everything an operator can set; a name in the file is the variable's in lower case, without `FANFOLD_`. */
export const settings = {
  // Server
  host: text('HOST', '127.0.0.1', 'an address to listen on'),
  port: integer('PORT', 8787, 'a port number (0 takes any free one)', [0, 65_535]),
  /** Where clients reach the service, without a slash at the end; null: at the host that a request names. */
  publicUrl: setting('FANFOLD_PUBLIC_URL', null, 'an address such as https://models.example', readPublicUrl),
  dataDir: text('FANFOLD_DATA_DIR', './data', 'a folder'),
  /** null: the embedded PostgreSQL. */
  databaseUrl: text('DATABASE_URL', null, 'postgres://user:password@host/name'),
  databaseConnections: integer('FANFOLD_DATABASE_CONNECTIONS', 16, 'a number of connections', [4, 1000]),
  logLevel: oneOf('FANFOLD_LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  corsOrigins: setting(
    'FANFOLD_CORS_ORIGINS',
    [],
    'origins such as https://app.example or app://localhost, separated by commas',
    readOrigins,
  ),
  /** Addresses and CIDR ranges of proxies that are trusted with the client's address and protocol. */
  trustedProxies: setting(
    'FANFOLD_TRUSTED_PROXIES',
    [],
    'addresses or ranges such as 10.0.0.0/8, separated by commas',
    readProxies,
  ),
  connectionsPerAddress: integer('FANFOLD_CONNECTIONS_PER_ADDRESS', 2_000, 'a number of connections', [1, 10_000]),
  roles: setting('FANFOLD_ROLES', allRoles, expectedRoles, readRoles),

  // Sign-up and credits
  signUp: oneOf('FANFOLD_SIGNUP', 'closed', ['closed', 'oidc', 'open']),
  signUpMicro: setting('FANFOLD_SIGNUP_CREDITS', 0n, credits, readCredits),
  lowBalanceMicro: setting('FANFOLD_LOW_BALANCE_CREDITS', 1_000_000n, credits, readCredits),
  /** null: nothing is sold. */
  stripeSecretKey: text('STRIPE_SECRET_KEY', null, 'a secret key'),
  stripeSecretKeyFile: text('STRIPE_SECRET_KEY_FILE', null, 'a file'),
  stripeWebhookSecret: text('STRIPE_WEBHOOK_SECRET', null, 'a signing secret'),
  stripeWebhookSecretFile: text('STRIPE_WEBHOOK_SECRET_FILE', null, 'a file'),
  stripeUrl: httpUrl('STRIPE_API_URL', 'https://api.stripe.com', 'the address of the payment provider'),
  creditPacks: text('FANFOLD_CREDIT_PACKS', null, 'packs of credits'),
  creditPrice: text('FANFOLD_CREDIT_PRICE', null, 'a price'),

  // Identity provider
  oidcIssuer: httpUrl(
    'FANFOLD_OIDC_ISSUER',
    null,
    'the address of an OpenID provider, as its discovery document gives it',
  ),
  oidcClientId: text('FANFOLD_OIDC_CLIENT_ID', null, 'the name that the provider knows this service by'),
  oidcClientSecret: text('FANFOLD_OIDC_CLIENT_SECRET', null, 'a secret'),
  oidcClientSecretFile: text('FANFOLD_OIDC_CLIENT_SECRET_FILE', null, 'a file'),
  oidcName: text('FANFOLD_OIDC_NAME', 'Single sign-on', 'a name for people'),

  // Operation
  drainMs: integer('FANFOLD_DRAIN_SECONDS', 25_000, 'seconds', [0, 3600, seconds]),
  operatorHost: text('FANFOLD_OPERATOR_HOST', '127.0.0.1', 'an address to listen on'),
  operatorPort: integer('FANFOLD_OPERATOR_PORT', null, 'a port number (0 takes any free one)', [0, 65_535]),
  otlpEndpoint: httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT', null, 'the http address of an OpenTelemetry collector'),
  otelServiceName: text('OTEL_SERVICE_NAME', 'fanfold', 'a name'),
  traceRatio: setting('OTEL_TRACES_SAMPLER_ARG', 1, 'a number, 0 to 1', readRatio),

  // Retention
  autosaveRetentionDays: integer('FANFOLD_AUTOSAVE_RETENTION_DAYS', 30, 'days', [1, 3650]),
  /** 0: no response is stored. */
  responsesRetentionDays: integer('FANFOLD_RESPONSES_RETENTION_DAYS', 30, 'days', [0, 3650]),
  maxResponsesBytes: integer('FANFOLD_MAX_RESPONSES_MIB', 256 * mib, 'MiB', [16, 1_000_000, mib]),
  feedbackRetentionDays: integer('FANFOLD_FEEDBACK_RETENTION_DAYS', 365, 'days', [1, 3650]),
  /** Whole months before this one; null: all. */
  ledgerMonths: integer('FANFOLD_LEDGER_MONTHS', null, 'a number of months', [3, 1200]),
  activityMonths: integer('FANFOLD_ACTIVITY_MONTHS', null, 'a number of months', [1, 1200]),

  // Object store; null: in the data folder
  objectStore: setting('FANFOLD_OBJECT_STORE', null, 'folder or s3://bucket/prefix', readObjectStore),
  s3Endpoint: httpUrl('FANFOLD_S3_ENDPOINT', null, 'the http address of a server that speaks S3'),
  s3Region: text('FANFOLD_S3_REGION', 'us-east-1', 'a region'),
  /** null: found by the SDK, in the environment or from the machine's role. */
  s3AccessKeyId: text('FANFOLD_S3_ACCESS_KEY_ID', null, 'an access key'),
  s3AccessKeyIdFile: text('FANFOLD_S3_ACCESS_KEY_ID_FILE', null, 'a file'),
  s3SecretAccessKey: text('FANFOLD_S3_SECRET_ACCESS_KEY', null, 'a secret'),
  s3SecretAccessKeyFile: text('FANFOLD_S3_SECRET_ACCESS_KEY_FILE', null, 'a file'),

  // Datasets and indexes
  maxDatasets: integer('FANFOLD_MAX_DATASETS', 1_000, 'a number of datasets', [1, 100_000]),
  maxExamplesPerDataset: integer('FANFOLD_MAX_EXAMPLES_PER_DATASET', 5_000_000, 'examples', [1, 100_000_000]),
  maxVersionsPerDataset: integer('FANFOLD_MAX_VERSIONS_PER_DATASET', 1_000, 'a number of versions', [1, 100_000]),
  maxIndexes: integer('FANFOLD_MAX_INDEXES', 100, 'a number of indexes', [0, 10_000]),
  maxImportBytes: integer('FANFOLD_MAX_IMPORT_MIB', 10_240 * mib, 'MiB', [1, 1_000_000, mib]),
  maxImportRows: integer('FANFOLD_MAX_IMPORT_ROWS', 5_000_000, 'a number of rows', [1, 100_000_000]),
  minTrainingExamples: integer('FANFOLD_MIN_TRAINING_EXAMPLES', 10, 'a number of examples', [1, 100_000]),
  indexFileBytes: integer('FANFOLD_INDEX_FILES_MIB', 8_192 * mib, 'MiB', [1, 10_000_000, mib]),
  maxIndexDocuments: integer('FANFOLD_MAX_INDEX_DOCUMENTS', 1_000_000, 'a number of documents', [1, 100_000_000]),

  // Engine; null: what suits the machine
  engineThreads: integer('FANFOLD_ENGINE_THREADS', null, 'a number of threads', [1, 256]),
  engineGpu: oneOf('FANFOLD_ENGINE_GPU', 'auto', ['auto', 'off', 'cuda', 'cuda-ext', 'vulkan', 'metal']),
  engineSequences: integer('FANFOLD_ENGINE_SEQUENCES', 8, 'a number of calls at a time', [1, 64]),
  engineQueue: integer('FANFOLD_ENGINE_QUEUE', 1_000, 'a number of waiting calls', [1, 10_000]),
  engineIdleUnloadMs: integer('FANFOLD_ENGINE_IDLE_SECONDS', 1_800_000, 'seconds (0 never unloads)', [
    0,
    10_000_000,
    seconds,
  ]),
  engineMemoryBytes: integer('FANFOLD_ENGINE_MEMORY_MIB', null, 'MiB', [64, 100_000_000, mib]),

  // Training
  trainingRunner: oneOf('FANFOLD_TRAINING_RUNNER', 'local', ['local', 'ray']),
  trainingPython: text('FANFOLD_TRAINING_PYTHON', null, 'a Python interpreter'),
  trainingThreads: integer('FANFOLD_TRAINING_THREADS', null, 'a number of threads', [1, 256]),
  rayUrl: httpUrl('FANFOLD_RAY_URL', null, ray),
  rayToken: text('FANFOLD_RAY_TOKEN', null, 'a token'),
  rayTokenFile: text('FANFOLD_RAY_TOKEN_FILE', null, 'a file'),
  rayFolder: setting('FANFOLD_RAY_FOLDER', null, 'an absolute path', readPath),
  rayWorkerFolder: setting('FANFOLD_RAY_WORKER_FOLDER', null, 'an absolute path', readPath),
  rayCpus: integer('FANFOLD_RAY_CPUS', 4, 'a number of cores', [1, 1024]),
  rayGpus: integer('FANFOLD_RAY_GPUS', 0, 'a number of GPUs', [0, 64]),
  rayPendingMs: integer('FANFOLD_RAY_PENDING_MINUTES', 900_000, 'minutes', [1, 10_000, 60_000]),
  /** 0: this server only takes jobs in. */
  trainingSlots: integer('FANFOLD_TRAINING_SLOTS', 1, 'a number of jobs at a time', [0, 256]),
  maxActiveTrainingJobs: integer('FANFOLD_MAX_ACTIVE_TRAINING_JOBS', 20, 'a number of jobs', [1, 10_000]),
  trainingCheckpointSeconds: integer('FANFOLD_TRAINING_CHECKPOINT_SECONDS', 60, 'seconds', [1, 86_400]),
  trainingCheckpointDays: integer('FANFOLD_TRAINING_CHECKPOINT_DAYS', 30, 'days', [1, 3650]),
  adapterFileBytes: integer('FANFOLD_ADAPTER_FILES_MIB', 8_192 * mib, 'MiB', [1, 10_000_000, mib]),
  trainingLeaseSeconds: integer('FANFOLD_TRAINING_LEASE_SECONDS', 30, 'seconds', [3, 3_600]),

  // Model hub
  hubEndpoint: httpUrl('HF_ENDPOINT', 'https://huggingface.co', 'the http address of a model hub'),
  hubToken: text('HF_TOKEN', null, 'an access token'),
};

export type SettingsValues = SettingValues<typeof settings>;
