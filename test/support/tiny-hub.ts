import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HubServer, hubCommit, hubListing, startHubServer } from './hub-server.ts';
import { root } from './source-tree.ts';

export const tinyRepo = 'org/Tiny-Talk-GGUF';
/** What the model is called when it is pulled. */
export const tinyId = 'tiny-talk';

/** A hub on loopback that has the chat model that ships, under another name, so that it can be pulled and called. */
export async function startTinyHub(): Promise<HubServer> {
  const file = 'Tiny-Talk-Q8_0.gguf';
  const bytes = readFileSync(join(root, 'models/tiny-chat/tiny-chat.gguf'));
  const hub = await startHubServer({ path: `/${tinyRepo}/resolve/${hubCommit}/${file}`, bytes });
  const listing = { ...hubListing({ [file]: bytes }), cardData: { license: 'apache-2.0' } };
  hub.answers.set(`/api/models/${tinyRepo}/revision/main?blobs=true`, listing);
  for (const limit of [20, 12]) {
    const query = new URLSearchParams({ search: 'tiny', filter: 'gguf', sort: 'downloads', direction: '-1' });
    query.set('limit', String(limit));
    for (const field of ['downloads', 'likes', 'lastModified', 'gated', 'tags']) query.append('expand', field);
    hub.answers.set(`/api/models?${query}`, [
      {
        id: tinyRepo,
        downloads: 81_000,
        likes: 12,
        lastModified: '2026-01-02T03:04:05.000Z',
        gated: false,
        tags: ['gguf', 'license:apache-2.0'],
      },
    ]);
  }
  return hub;
}
