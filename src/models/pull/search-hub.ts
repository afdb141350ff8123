import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import { inOneLine } from '../model-error.ts';
import { HubRefusal, requestDocument, withModelErrors, withRetries } from './hub-client.ts';
import { parseJson } from './hub-listing.ts';
import { checkAvailable } from './hub-status.ts';
import { type HubAccess, transferOptions } from './transfer-options.ts';

/** A repository with GGUF files. */
export type FoundRepository = {
  repo: string;
  downloads: number;
  likes: number;
  /** Day of the last change. */
  updated: string;
  /** As the publisher names it; null: it does not. */
  license: string | null;
  /** Whether terms must be accepted before its files can be fetched. */
  isGated: boolean;
};

const Count = Type.Integer({ minimum: 0 });
const Found = Type.Array(
  Type.Object({
    id: Type.String(),
    downloads: Count,
    likes: Count,
    lastModified: Type.String(),
    gated: Type.Union([Type.Boolean(), Type.String()]),
    tags: Type.Array(Type.String()),
  }),
);
const fields = ['downloads', 'likes', 'lastModified', 'gated', 'tags'];
const licenseTag = 'license:';

/** Searches the repositories of the hub that have GGUF files, those with the most downloads first. Throws `ModelError`. */
export function searchHub(
  access: HubAccess,
  { word, limit }: { word: string; limit: number },
): Promise<FoundRepository[]> {
  return inOneLine(async () => {
    const transfer = transferOptions(access);
    const { hub, signal } = transfer;
    const query = new URLSearchParams({ search: word, filter: 'gguf', sort: 'downloads', direction: '-1' });
    query.set('limit', String(limit));
    for (const field of fields) query.append('expand', field);
    const read = async () => {
      const answer = await requestDocument(hub, `api/models?${query}`, signal);
      const { host } = new URL(hub.endpoint);
      checkAvailable(answer, host);
      if (answer.status !== 200) throw new HubRefusal(`${host} answered ${answer.status} to a search.`);
      const found = parseJson(answer.text);
      if (!Check(Found, found)) throw new HubRefusal(`${host} does not answer a search as the Hugging Face hub does.`);
      return found;
    };
    const found = await withModelErrors(() =>
      withRetries(
        transfer,
        () => 0,
        () => read(),
      ),
    );
    return found
      .toSorted((a, b) => b.downloads - a.downloads)
      .map(({ id, downloads, likes, lastModified, gated, tags }) => ({
        repo: id,
        downloads,
        likes,
        updated: lastModified.slice(0, 10),
        license: tags.find((tag) => tag.startsWith(licenseTag))?.slice(licenseTag.length) ?? null,
        isGated: gated !== false,
      }));
  });
}
