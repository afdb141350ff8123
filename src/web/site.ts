import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Asset, loadAssets } from './assets.ts';
import { findOrMakeBuild, markSources } from './find-build.ts';
import { createShell, type Shell } from './shell.ts';

/** `building` -> `ready` | `failed` */
type SiteState = { kind: 'ready'; shell: Shell; assets: ReadonlyMap<string, Asset> } | { kind: 'building' | 'failed' };

/** The web app as far as it is there. The service never waits for it: a build that fails costs the pages only. */
export type Site = { now: () => SiteState };

export type SiteOptions = {
  root: string;
  /** Address of the service as people see it; null: as they ask for it. */
  publicUrl: string | null;
  log: { info: (message: string) => void; error: (fields: object, message: string) => void };
};

/** Finds the build that fits the sources, or begins to make it. */
export function openSite(options: SiteOptions): Site {
  const site: { state: SiteState } = { state: { kind: 'building' } };
  void load(options).then(
    (state) => {
      site.state = state;
    },
    (error: unknown) => {
      options.log.error({ err: error }, 'The web app could not be built; everything else is served');
      site.state = { kind: 'failed' };
    },
  );
  return { now: () => site.state };
}

/** Makes the build that fits the sources, unless it is there; gives its folder. */
export async function buildSite(root: string): Promise<string> {
  return findOrMakeBuild(root, await markSources(root), () => {});
}

async function load({ root, publicUrl, log }: SiteOptions): Promise<SiteState> {
  const folder = await findOrMakeBuild(root, await markSources(root), () => log.info('Building the web app'));
  const template = await readFile(join(folder, 'index.html'), 'utf8');
  const basePath = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  return { kind: 'ready', shell: createShell(template, basePath), assets: await loadAssets(join(folder, 'assets')) };
}
