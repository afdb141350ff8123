import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import {
  type HubOptions,
  HubRefusal,
  type RetryOptions,
  requestDocument,
  withModelErrors,
  withRetries,
} from './hub-client.ts';
import { checkStatus } from './hub-status.ts';

/** A file of a repository: large ones have a SHA-256, small ones git's own digest. */
export type ListedFile = {
  name: string;
  sizeBytes: number;
  digest: { algorithm: 'sha256' | 'git'; value: string };
};

export type HubListing = {
  commit: string;
  files: ReadonlyMap<string, ListedFile>;
  /** As the publisher names it; null: it does not. */
  license: string | null;
};

const Size = Type.Integer({ minimum: 0 });
const Large = Type.Object({ sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }), size: Size });
const Card = Type.Object({ license: Type.String({ minLength: 1, maxLength: 80 }) });
const Info = Type.Object({
  cardData: Type.Optional(Type.Unknown()),
  sha: Type.String({ pattern: '^[0-9a-f]{40}$' }),
  siblings: Type.Array(
    Type.Object({
      rfilename: Type.String(),
      size: Size,
      blobId: Type.String(),
      lfs: Type.Optional(Type.Union([Large, Type.Null()])),
    }),
  ),
});

/** The files of a repository at the commit that a revision names now. Throws `ModelError`. */
export function listFiles(
  hub: HubOptions,
  { repo, revision }: { repo: string; revision: string },
  retryOptions: RetryOptions,
): Promise<HubListing> {
  const read = async () => {
    const path = `api/models/${repo}/revision/${encodeURIComponent(revision)}?blobs=true`;
    const answer = await requestDocument(hub, path, retryOptions.signal);
    checkStatus(answer, { hub, repo, revision });
    return listingOf(parseJson(answer.text), `${new URL(hub.endpoint).host} does not list the files of ${repo}`);
  };
  return withModelErrors(() => withRetries(retryOptions, () => 0, read));
}

function listingOf(info: unknown, refusal: string): HubListing {
  if (!Check(Info, info)) throw new HubRefusal(`${refusal} as the Hugging Face hub does.`);
  const files = info.siblings.map(({ rfilename: name, size, blobId, lfs }): ListedFile => {
    if (lfs) return { name, sizeBytes: lfs.size, digest: { algorithm: 'sha256', value: lfs.sha256 } };
    return { name, sizeBytes: size, digest: { algorithm: 'git', value: blobId } };
  });
  const license = Check(Card, info.cardData) ? info.cardData.license : null;
  return { commit: info.sha, files: new Map(files.map((file) => [file.name, file])), license };
}

/** null: it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
