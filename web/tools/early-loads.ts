import type { IndexHtmlTransformContext, Plugin } from 'vite';

/** A page and what it will ask for as soon as the app runs: its own code, and the first answers. */
type EarlyPage = { path: string; modules: readonly string[]; answers?: readonly string[] };

const project = '^/projects/[^/]+/[^/]+';
const frame = 'projects/project-frame.tsx';

/** The pages that people come to from outside: by a bookmark, or by reloading. */
const pages: readonly EarlyPage[] = [
  { path: '^/$', modules: ['dashboard/dashboard-page.tsx'], answers: ['/api/v1/dashboard?window=7d'] },
  { path: '^/projects$', modules: ['projects/projects-page.tsx'] },
  { path: '^/keys$', modules: ['keys/keys-page.tsx'] },
  { path: `${project}$`, modules: [frame, 'projects/project-home.tsx'] },
  { path: `${project}/playground$`, modules: [frame, 'playground/playground-page.tsx'] },
  { path: `${project}/data$`, modules: [frame, 'data/datasets-page.tsx'] },
  { path: `${project}/training-jobs/[^/]+$`, modules: [frame, 'training/job-page.tsx'] },
];

const mark = '/* early loads */';

/**
 * Lets the page begin to fetch what its address needs while the code of the app is still on its way, instead of one after
 * the other. In the script that stands in the page: the policy knows it by its digest.
 */
export function earlyLoads(): Plugin {
  return {
    name: 'early-loads',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => html.replace(mark, () => (bundle ? scriptOf(bundle) : '')),
    },
  };
}

type Bundle = NonNullable<IndexHtmlTransformContext['bundle']>;

function scriptOf(bundle: Bundle): string {
  const table = pages.map(({ path, modules, answers = [] }) => ({ path, files: filesOf(bundle, modules), answers }));
  return `const early = ${JSON.stringify(table)};
        const metaOf = (name) => document.querySelector('meta[name="fanfold-' + name + '"]').content;
        const base = metaOf('base');
        const page = early.find(({ path }) => new RegExp(path).test(location.pathname.slice(base.length)));
        const load = (href, fields) =>
          document.head.append(Object.assign(document.createElement('link'), { href: base + href }, fields));
        if (metaOf('session') === 'some') {
          document.documentElement.dataset.boot = '';
          load('/api/v1/auth/session', { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous' });
          for (const file of page ? page.files : []) load('/assets/' + file, { rel: 'modulepreload' });
          if (page && !location.search)
            for (const path of page.answers) load(path, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous' });
        }`;
}

/** Names of the files that modules need beside what every page loads. */
function filesOf(bundle: Bundle, modules: readonly string[]): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const reach = (name: string, found: Set<string>): Set<string> => {
    if (found.has(name)) return found;
    found.add(name);
    for (const next of byName.get(name)?.imports ?? []) reach(next, found);
    return found;
  };
  const initial = new Set(
    chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...reach(fileName, new Set())]),
  );
  const wanted = new Set<string>();
  for (const module of modules) {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/rooms/${module}`));
    if (!chunk) throw new Error(`There is no page ${module} to load early.`);
    reach(chunk.fileName, wanted);
  }
  return [...wanted].filter((name) => !initial.has(name)).map((name) => name.replace(/^assets\//, ''));
}
