export type SubjectKind =
  | 'account'
  | 'checkout'
  | 'credits'
  | 'dataset'
  | 'hosted_model'
  | 'import'
  | 'key'
  | 'project'
  | 'share'
  | 'shared_model'
  | 'training_job';

type ProjectAddress = { ownerSlug: string; slug: string };
type Subject = { kind: string; id: string };

/** Page of the web app that shows a subject, for those that belong to the account. */
const accountPages: Record<string, (id: string) => string> = {
  account: () => '/account',
  checkout: (id) => `/credits/checkout/${id}`,
  credits: () => '/credits',
  key: () => '/keys',
  // In the project of somebody else, which has no pages for the account.
  shared_model: () => '/models?access=shared',
};

/** The same within a project's pages. */
const projectPages: Record<string, (id: string) => string> = {
  dataset: (id) => `/data/${id}`,
  hosted_model: (id) => `/hosted-models/${id}`,
  import: (id) => `/data/imports/${id}`,
  project: () => '',
  share: () => '/hosted-models',
  training_job: (id) => `/training-jobs/${id}`,
};

/**
 * Where the web app shows a subject. A row outlives its subject, and releases that knew other kinds: what has no
 * page of its own leads to its project, or to the feed.
 */
export function hrefOf({ kind, id }: Subject, project: ProjectAddress | null): string {
  const segment = encodeURIComponent(id);
  const accountPage = accountPages[kind];
  if (accountPage) return accountPage(segment);
  if (project === null) return '/activity';
  return `/projects/${[project.ownerSlug, project.slug].map(encodeURIComponent).join('/')}${projectPages[kind]?.(segment) ?? ''}`;
}
