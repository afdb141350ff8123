import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

type Encoding = 'br' | 'gzip';

export type Asset = {
  type: string;
  etag: string;
  content: Buffer;
  compressed: readonly { encoding: Encoding; content: Buffer }[];
};

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

const encodings: readonly { encoding: Encoding; suffix: string }[] = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
];

/**
 * Everything under `folder` by its name. It is read once: a server goes on with the build that it started with, and
 * no path of a request ever becomes a path of a file.
 */
export async function loadAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const names = await readdir(folder);
  const contents = new Map<string, Buffer>();
  // One after the other: all at once are more open files than a process may have on some machines.
  for (const name of names) contents.set(name, await readFile(join(folder, name)));
  const assets = new Map<string, Asset>();
  for (const [name, content] of contents) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const compressed = encodings.flatMap(({ encoding, suffix }) => {
      const smaller = contents.get(name + suffix);
      return smaller ? [{ encoding, content: smaller }] : [];
    });
    assets.set(name, { type, etag: etagOf(content), content, compressed });
  }
  return assets;
}

function etagOf(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** The best form of a file that a caller takes, who says so in `Accept-Encoding`. */
export function chooseForm({ content, compressed }: Asset, accepted: string | undefined) {
  const accepts = readAccepted(accepted ?? '');
  for (const form of compressed) if (accepts(form.encoding)) return form;
  return { encoding: null, content };
}

function readAccepted(header: string): (encoding: string) => boolean {
  const weights = new Map<string, boolean>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim());
    weights.set(name, !parameters.some((each) => /^q=0(\.0*)?$/.test(each)));
  }
  return (encoding) => weights.get(encoding) ?? weights.get('*') ?? false;
}
