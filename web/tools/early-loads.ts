import type { IndexHtmlTransformContext, Plugin } from 'vite';

/** What a page loads first: its modules, and the first responses. */
type EarlyPage = {
  path: string;
  modules: readonly string[];
  /** `$1` and `$2` are the groups of the path. */
  answers?: readonly string[];
};

const project = '^/projects/([^/]+)/([^/]+)';
const projectAnswer = '/api/v1/projects/$1/$2';
const frame = 'projects/project-frame.tsx';

/** Pages that are often opened directly. */
const pages: readonly EarlyPage[] = [
  { path: '^/$', modules: ['dashboard/dashboard-page.tsx'], answers: ['/api/v1/dashboard?window=7d'] },
  { path: '^/projects$', modules: ['projects/projects-page.tsx'] },
  { path: '^/keys$', modules: ['keys/keys-page.tsx'] },
  { path: `${project}$`, modules: [frame, 'projects/project-home.tsx'], answers: [projectAnswer] },
  {
    path: `${project}/playground$`,
    modules: [frame, 'playground/playground-page.tsx'],
    answers: [projectAnswer, '/api/v1/base-models?limit=100', `${projectAnswer}/hosted-models?source=alias&limit=100`],
  },
  { path: `${project}/data$`, modules: [frame, 'data/datasets-page.tsx'], answers: [projectAnswer] },
  { path: `${project}/training-jobs/[^/]+$`, modules: [frame, 'training/job-page.tsx'], answers: [projectAnswer] },
];

const placeholder = '/* early loads */';

/**
 * Lets `index.html` fetch the modules and data of a page while the app is still loading. The content security policy
 * allows the script by its digest.
 */
export function earlyLoads(): Plugin {
  return {
    name: 'early-loads',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => html.replace(placeholder, () => (bundle ? scriptOf(bundle) : '')),
    },
  };
}

type Bundle = NonNullable<IndexHtmlTransformContext['bundle']>;

function scriptOf(bundle: Bundle): string {
  const table = pages.map(({ path, modules, answers = [] }) => ({ path, files: filesOf(bundle, modules), answers }));
  return `const pages = ${JSON.stringify(table)};
        const metaOf = (name) => document.querySelector('meta[name="fanfold-' + name + '"]').content;
        const base = metaOf('base');
        const path = location.pathname.slice(base.length);
        const page = pages.find(({ path: pattern }) => new RegExp(pattern).test(path));
        const ask = (address) => {
          const answer = fetch(base + address, { credentials: 'same-origin', headers: { accept: 'application/json' } });
          answer.catch(() => {});
          fanfoldEarly[base + address] = answer;
        };
        if (metaOf('session') === 'some') {
          document.documentElement.dataset.boot = '';
          window.fanfoldEarly = {};
          ask('/api/v1/auth/session');
          for (const file of page ? page.files : [])
            document.head.append(
              Object.assign(document.createElement('link'), { rel: 'modulepreload', href: base + '/assets/' + file }),
            );
          if (page && !location.search)
            for (const answer of page.answers) ask(path.replace(new RegExp(page.path), answer));
        }`;
}

/** Files of modules beyond those that every page loads. */
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
  const needed = new Set<string>();
  for (const module of modules) {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/rooms/${module}`));
    if (!chunk) throw new Error(`There is no page ${module} to load early.`);
    reach(chunk.fileName, needed);
  }
  return [...needed].filter((name) => !initial.has(name)).map((name) => name.replace(/^assets\//, ''));
}
