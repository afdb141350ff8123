import type { Schemas } from './generated/contract.ts';

/** What is stored of a project, so that the side bar is complete at once. */
export type RecentProject = { owner: string; slug: string; name: string; isOwner: boolean };

type Place = Pick<RecentProject, 'owner' | 'slug'>;

const storageKey = 'fanfold.projects';
const most = 12;

export const isSamePlace = (one: Place, other: Place): boolean => one.owner === other.owner && one.slug === other.slug;

export const recentOf = ({ owner, slug, name, caller_role }: Schemas['Project']): RecentProject => ({
  owner: owner.slug,
  slug,
  name,
  isOwner: caller_role === 'owner',
});

/** With a project as the last one that was used. */
export function withProject(recent: readonly RecentProject[], project: RecentProject): readonly RecentProject[] {
  return [project, ...withoutProject(recent, project)].slice(0, most);
}

export const withoutProject = (recent: readonly RecentProject[], place: Place): readonly RecentProject[] =>
  recent.filter((each) => !isSamePlace(each, place));

/** The last ones that were used first, the others as they come. */
export function byRecentUse(projects: readonly RecentProject[], recent: readonly Place[]): RecentProject[] {
  const rank = (place: Place) => {
    const at = recent.findIndex((each) => isSamePlace(each, place));
    return at < 0 ? recent.length : at;
  };
  return projects.toSorted((one, other) => rank(one) - rank(other));
}

type Stored = { account: string; projects: readonly RecentProject[] };

const listeners = new Set<() => void>();
let stored: Stored | null = null;

function read(): Stored {
  try {
    // as: it was written here.
    return (JSON.parse(localStorage.getItem(storageKey) ?? 'null') as Stored | null) ?? nothing;
  } catch {
    return nothing;
  }
}

const nothing: Stored = { account: '', projects: [] };

/** The projects that an account used in this browser, the last one first. */
export function recentProjects(account: string): readonly RecentProject[] {
  stored ??= read();
  return stored.account === account ? stored.projects : nothing.projects;
}

export function storeRecentProjects(account: string, projects: readonly RecentProject[]): void {
  stored = { account, projects };
  localStorage.setItem(storageKey, JSON.stringify(stored));
  for (const listener of listeners) listener();
}

/** It was deleted. */
export function forgetRecentProject(place: Place): void {
  const { account, projects } = stored ?? read();
  storeRecentProjects(account, withoutProject(projects, place));
}

/** Nothing of an account stays when it signs out. */
export function forgetRecentProjects(): void {
  stored = nothing;
  localStorage.removeItem(storageKey);
}

export function subscribeToRecentProjects(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
