import { call } from '../../api/call.ts';
import { isProblem } from '../../api/problem.ts';
import { type RecentProject, recentOf } from '../../api/recent-projects.ts';
import { type Found, inOrder, mostFound } from './palette-order.ts';

export type FoundGroups = Record<'projects' | 'models' | 'jobs' | 'datasets', Found[]>;

type Place = Pick<RecentProject, 'owner' | 'slug'>;

export const pathOf = ({ owner, slug }: Place): string =>
  `/projects/${encodeURIComponent(owner)}/${encodeURIComponent(slug)}`;

type Scope = { signal: AbortSignal; q: string };

/** Searches by the lists of the API. `projects` are the current one and others in which datasets are searched. */
export async function searchAll(scope: Scope, projects: readonly RecentProject[]): Promise<FoundGroups> {
  const [current] = projects;
  const own = projects.filter(({ isOwner }) => isOwner);
  const ofCurrent = own.filter((each) => each === current);
  const [places, hosted, shared, aliases, trained, jobs, datasets] = await Promise.all([
    findProjects(scope),
    findModels(scope, 'hosted', 'owned'),
    findModels(scope, 'hosted', 'shared'),
    Promise.all(ofCurrent.map((place) => findAliases(scope, place).catch(nothingIfGone))),
    findModels(scope, 'training_job', 'owned'),
    Promise.all(ofCurrent.map((place) => findJobs(scope, place).catch(nothingIfGone))),
    Promise.all(own.map((place) => findDatasets(scope, place).catch(nothingIfGone))),
  ]);
  return {
    projects: inOrder(places, current),
    models: inOrder([...hosted, ...shared, ...aliases.flat()], current),
    jobs: inOrder([...trained, ...jobs.flat()], current),
    datasets: inOrder(datasets.flat(), current),
  };
}

/** A project that was used lately may be deleted by now. */
function nothingIfGone(error: unknown): [] {
  if (isProblem(error, 'not_found')) return [];
  throw error;
}

const query = ({ q }: Scope) => ({ q, limit: mostFound });
const path = ({ owner, slug }: Place) => ({ owner, project: slug });

async function findProjects(scope: Scope) {
  const { data } = await call('GET /api/v1/projects', { query: query(scope), signal: scope.signal });
  return data.map(recentOf).map((place) => foundIn(place, { id: 'project', text: place.name, href: pathOf(place) }));
}

/** Hosted models or finished jobs of all projects. */
async function findModels(scope: Scope, source: 'hosted' | 'training_job', access: 'owned' | 'shared') {
  const { data } = await call('GET /api/v1/models', {
    query: { ...query(scope), source, access },
    signal: scope.signal,
  });
  return data.flatMap(({ ref, name, project }) => {
    if (!project) return [];
    if (source === 'training_job') return [jobIn(project, { id: ref.replace('training-job#', ''), name })];
    const list = access === 'owned' ? `${pathOf(project)}/hosted-models` : `/models?q=${encodeURIComponent(ref)}`;
    return [foundIn(project, { id: `model ${ref}`, text: ref, href: list })];
  });
}

async function findAliases(scope: Scope, place: Place) {
  const { data } = await call('GET /api/v1/projects/{owner}/{project}/hosted-models', {
    path: path(place),
    query: { ...query(scope), source: 'alias' },
    signal: scope.signal,
  });
  return data.map(({ id, alias }) =>
    foundIn(place, { id: `model ${alias}`, text: alias, href: `${pathOf(place)}/hosted-models/${id}` }),
  );
}

async function findJobs(scope: Scope, place: Place) {
  const { data } = await call('GET /api/v1/projects/{owner}/{project}/training-jobs', {
    path: path(place),
    query: query(scope),
    signal: scope.signal,
  });
  return data.map((job) => jobIn(place, job));
}

async function findDatasets(scope: Scope, place: Place) {
  const { data } = await call('GET /api/v1/projects/{owner}/{project}/datasets', {
    path: path(place),
    query: query(scope),
    signal: scope.signal,
  });
  return data.map(({ id, name }) => foundIn(place, { id, text: name, href: `${pathOf(place)}/data/${id}` }));
}

const jobIn = (place: Place, { id, name }: { id: string; name: string }) =>
  foundIn(place, { id, text: name, href: `${pathOf(place)}/training-jobs/${id}` });

/** The id is one within its project. */
const foundIn = ({ owner, slug }: Place, { id, text, href }: Omit<Found, 'detail'>): Found & Place => {
  const detail = `${owner}/${slug}`;
  return { owner, slug, id: `${detail} ${id}`, text, detail, href };
};
