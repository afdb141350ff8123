/** Folders of `web/src` below the rooms, and which of each other they import. Rooms may import all of them. */
export const layers: Record<string, readonly string[]> = {
  // JSON is parsed exactly as the server does.
  api: ['kernel'],
  i18n: ['api'],
  ui: ['api', 'i18n'],
  charts: ['i18n', 'ui'],
  routing: ['api'],
};

/** Which rooms of the web app import which, and why. An arrow that nobody uses any more must go. */
export const webArrows: Record<string, Record<string, string>> = {
  account: {},
  activity: {},
  billing: { keys: 'the ledger is filtered by key, and shows its name' },
  dashboard: {
    playground: 'starter questions are written into its field',
    projects: 'a first project is made there, and called by its examples',
    training: 'running jobs are listed with their states',
  },
  data: { projects: 'datasets belong to a project' },
  examples: { data: 'examples belong to a dataset, or to a version of it' },
  feedback: {
    data: 'events belong to a dataset',
    examples: 'shows the example that an event becomes',
    projects: 'shows how a project sends events',
  },
  guides: {},
  imports: {
    data: 'an import fills a dataset',
    examples: 'shows the examples that rows become, and their issues',
    projects: 'imports belong to a project',
  },
  indexes: {
    data: 'an index is built from a version of a dataset',
    models: 'an index is built with an embedding model',
    projects: 'base models of the project',
  },
  keys: {},
  models: { projects: 'hosted models belong to a project' },
  operator: {
    models: 'an installed model is served under an alias',
    projects: 'the alias is in a project of the operator',
  },
  playground: {
    data: 'an answer is saved as an example of a dataset',
    models: 'trained models can be chosen',
    projects: 'conversations belong to a project',
  },
  projects: {},
  requests: {
    keys: 'requests are filtered by key, and show its name',
    projects: 'requests of one project are a page of it',
  },
  'saved-calls': {
    data: 'calls become examples of a dataset',
    examples: 'shows the example that a call becomes',
    projects: 'calls belong to a project',
  },
  'sign-in': {},
  training: {
    billing: 'the estimate is compared with the balance',
    data: 'a job learns from a version of a dataset',
    models: 'a finished job is served as a model',
    projects: 'jobs belong to a project',
  },
  versions: {
    data: 'versions belong to a dataset',
    examples: 'shows the examples that changed',
  },
};
