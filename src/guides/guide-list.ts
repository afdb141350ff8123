import { posix } from 'node:path';

/** The guides by their names, in the order of reading: `docs/guides/{name}.md`, except for those in `outside`. */
export const guideGroups = [
  {
    name: 'calls',
    guides: ['call-models', 'messages', 'agents', 'clients', 'reliability', 'errors', 'playground', 'moving'],
  },
  { name: 'accounts', guides: ['accounts', 'api-keys', 'projects', 'credits', 'your-data'] },
  {
    name: 'data',
    guides: [
      ...['datasets', 'importing', 'auto-save', 'from-files-to-versions', 'search-feedback', 'search-quality'],
      ...['training', 'loop-text', 'loop-search'],
    ],
  },
  {
    name: 'operation',
    guides: [
      ...['models', 'model-formats', 'operate', 'deploy', 'backup', 'large-tables', 'remote-engines', 'ray'],
      'benchmarks',
    ],
  },
] as const satisfies readonly { name: string; guides: readonly string[] }[];

/** Guides that are in `docs` itself. */
const outside: ReadonlySet<string> = new Set(['errors', 'api-keys']);

/** The file of a guide in `docs`. Names come from the list above, never from a request. */
export const fileOfGuide = (name: string): string => (outside.has(name) ? `${name}.md` : `guides/${name}.md`);

/** Names of guides by their files in `docs`. */
const namesByFile: ReadonlyMap<string, string> = new Map(
  guideGroups.flatMap(({ guides }) => guides.map((name) => [fileOfGuide(name), name])),
);

/** Where this server shows what a file of `docs` links to; null: it does not. */
export function addressOfLink(file: string, link: string): string | null {
  const [path = '', anchor] = link.split('#');
  const target = posix.join(posix.dirname(file), path);
  const guide = namesByFile.get(target);
  if (guide !== undefined) return `/guides/${guide}${anchor === undefined ? '' : `#${anchor}`}`;
  return /^openapi\/openapi\.\w+\.(?:json|yaml)$/.test(target) ? `/api/v1/${posix.basename(target)}` : null;
}
