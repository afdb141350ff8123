/** Tables and the room that owns them. */
export const tables: Record<string, string> = {
  schema_migrations: 'db',
  accounts: 'accounts',
  settings: 'accounts',
  auth_identities: 'accounts',
  auth_sessions: 'accounts',
  auth_tries: 'accounts',
  api_keys: 'keys',
  projects: 'projects',
  hosted_models: 'models',
  hosted_model_revisions: 'models',
  calls: 'calls',
  instances: 'calls',
  ledger: 'billing',
  ledger_once: 'billing',
  ledger_partition_balances: 'billing',
  checkouts: 'billing',
  payment_events: 'billing',
  checkout_attempts: 'billing',
  usage_marks: 'billing',
  usage_hours: 'billing',
  usage_days: 'billing',
  usage_lists: 'billing',
  failed_requests: 'calls',
  limit_counters: 'limits',
  account_storage: 'limits',
  activity: 'activity',
  model_shares: 'models',
  serving_routes: 'models',
  saved_calls: 'inference',
  chats: 'chats',
  chat_messages: 'chats',
  chat_examples: 'chats',
  saved_call_examples: 'inference',
  stored_responses: 'inference',
  datasets: 'datasets',
  examples: 'datasets',
  example_contents: 'datasets',
  imports: 'datasets',
  import_parts: 'datasets',
  import_issues: 'datasets',
  example_counts: 'datasets',
  example_words: 'datasets',
  unindexed_examples: 'datasets',
  dataset_versions: 'datasets',
  dataset_indexes: 'indexes',
  index_documents: 'indexes',
  index_vectors: 'indexes',
  retrieval_events: 'feedback',
  retrieval_event_names: 'feedback',
  retrieval_event_counts: 'feedback',
  promoted_pairs: 'feedback',
  promotion_notices: 'feedback',
  training_jobs: 'training',
  training_attempts: 'training',
  training_checkpoints: 'training',
  training_logs: 'training',
  training_metrics: 'training',
  training_snapshots: 'training',
};

/** Stores that touch a table of another room, and why that is right. */
export const strangers: Record<string, { tables: string[]; reason: string }> = {
  'src/datasets/datasets.store.ts': {
    tables: ['retrieval_event_counts'],
    reason: 'a dataset is shown with the feedback that waits for a decision, in the statement that finds it',
  },
  'src/datasets/versions/versions.store.ts': {
    tables: ['dataset_indexes', 'training_jobs'],
    reason: 'a version is shown with what was made of it, in the statement that finds it',
  },
  'src/indexes/indexes.store.ts': {
    tables: ['datasets', 'dataset_versions', 'hosted_models'],
    reason: 'whether an index is stale is seen in the statement that finds it, and lists filter by it',
  },
  'src/indexes/building/build.store.ts': {
    tables: ['datasets', 'projects', 'accounts'],
    reason: 'a build tells the feed where its index is, which it reads with it',
  },
  'src/feedback/assessment/duplicates.store.ts': {
    tables: ['examples'],
    reason: 'an event teaches nothing new while the example that it equals is alive',
  },
  'src/datasets/overview.store.ts': {
    tables: ['projects'],
    reason: 'datasets and imports of an account are found in one statement',
  },
  'src/feedback/overview.store.ts': {
    tables: ['projects', 'datasets'],
    reason: 'the feedback of an account is counted in one statement',
  },
  'src/feedback/maintenance.store.ts': { tables: ['datasets'], reason: 'events are maintained dataset by dataset' },
  'src/datasets/imports/imports.store.ts': {
    tables: ['projects'],
    reason: 'an import is of the kind of its project, which never changes',
  },
  'src/datasets/search/index-examples.store.ts': {
    tables: ['projects'],
    reason: 'words are made ready in the turn of the account, which its projects have',
  },
  'src/datasets/imports/import-runs.store.ts': {
    tables: ['projects', 'accounts'],
    reason: 'a worker tells the feed where the import is, which it reads with the import',
  },
  'src/inference/admission.store.ts': {
    tables: ['api_keys', 'accounts', 'projects', 'hosted_models', 'model_shares'],
    reason: 'one statement admits a call: it is the hot path',
  },
  'src/dashboard/dashboard.store.ts': {
    tables: ['accounts', 'projects', 'api_keys', 'hosted_models', 'failed_requests', 'ledger'],
    reason: 'an account at a glance is one statement: a dozen would be a dozen moments',
  },
  'src/inference/saved-calls.store.ts': {
    tables: ['projects'],
    reason: 'a call is kept only while its project says so, in the statement that writes it',
  },
  'src/inference/stored-responses.store.ts': {
    tables: ['ledger_once'],
    reason: 'whether a response was paid for is seen in the statement that finds it',
  },
  'src/keys/keys.store.ts': { tables: ['accounts'], reason: 'a key is worth what its account is, in one statement' },
  'src/models/model-registry.store.ts': {
    tables: ['accounts', 'projects'],
    reason: 'one list over all projects that an account may know of',
  },
  'src/models/shares.store.ts': { tables: ['accounts'], reason: 'shares are shown with the slug of their account' },
  'src/projects/projects.store.ts': {
    tables: ['accounts'],
    reason: 'a project is addressed by its owner slug, and counts against its limit',
  },
  'src/projects/project-list.store.ts': {
    tables: ['accounts', 'model_shares'],
    reason: 'the list has what others share, too',
  },
  'src/projects/contents.store.ts': {
    tables: ['hosted_models', 'datasets', 'retrieval_event_counts', 'training_jobs'],
    reason: 'what projects hold is counted in one statement, for a whole page',
  },
  'src/projects/access.store.ts': {
    tables: ['accounts', 'model_shares'],
    reason: 'what a caller may see of a project is decided in one statement',
  },
  'src/limits/limits.store.ts': {
    tables: ['api_keys', 'accounts', 'calls'],
    reason: 'limits stand in the rows that admission reads anyway, and running calls count towards them',
  },
  'src/limits/storage.store.ts': {
    tables: ['accounts', 'projects'],
    reason: 'what is stored in a project counts against the limit of its owner, in one statement',
  },
  'src/calls/answers.store.ts': {
    tables: ['limit_counters'],
    reason: 'beginning and ending calls counts them, and what nobody counts any more is removed with old calls',
  },
  'src/calls/requests.store.ts': {
    tables: ['ledger', 'ledger_once', 'projects', 'accounts'],
    reason: 'what became of a call is gathered from wherever one leaves a trace, in one statement',
  },
  'src/billing/ledger.store.ts': { tables: ['accounts'], reason: 'the balance changes with its ledger row' },
  'src/billing/credits/credits.store.ts': { tables: ['accounts'], reason: 'balance and sums of one moment' },
  'src/billing/usage/sums.store.ts': { tables: ['accounts'], reason: 'looks for accounts that are not summed up' },
  'src/billing/usage/rows.store.ts': {
    tables: ['projects', 'accounts'],
    reason: 'a row names the project that was called, in the statement that finds the page',
  },
  'src/billing/usage/names.store.ts': {
    tables: ['projects', 'accounts', 'api_keys'],
    reason: 'rows have ids of projects and keys, people say paths and names',
  },
  'src/training/jobs/jobs.store.ts': {
    tables: ['projects', 'accounts', 'dataset_versions', 'hosted_models'],
    reason:
      'a job is shown with where it is, what it learns from and what stands for it, in the statement that finds it',
  },
  'src/training/serve/served-jobs.store.ts': {
    tables: ['projects', 'accounts'],
    reason: 'the registry of models names the project of a job',
  },
  'src/billing/doctor.store.ts': {
    tables: ['accounts', 'calls', 'instances', 'training_jobs', 'training_attempts'],
    reason: 'proves balances against the ledger, and what calls hold against servers and training jobs',
  },
};
