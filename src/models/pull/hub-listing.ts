import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import { commitOf, type HubOptions, HubRefusal, requestDocument } from './hub-client.ts';
import { checkStatus } from './transfer-errors.ts';

/** A file of a repository, with what the hub knows of it; null: it does not say. */
export type ListedFile = {
  name: string;
  sizeBytes: number | null;
  /** Of large files. */
  sha256: string | null;
  /** Git's own digest, of small files. */
  blobId: string | null;
};

export type HubListing = { commit: string; files: ReadonlyMap<string, ListedFile> };

const Size = Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]));
const Large = Type.Object({ sha256: Type.Optional(Type.String()), size: Size });
const Info = Type.Object({
  sha: Type.String(),
  siblings: Type.Array(
    Type.Object({
      rfilename: Type.String(),
      size: Size,
      blobId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      lfs: Type.Optional(Type.Union([Large, Type.Null()])),
    }),
  ),
});

export async function listFiles(
  hub: HubOptions,
  { repo, revision }: { repo: string; revision: string },
  signal: AbortSignal,
): Promise<HubListing> {
  const answer = await requestDocument(hub, `api/models/${repo}/revision/${revision}?blobs=true`, signal);
  checkStatus(answer, { hub, name: repo, revision });
  const info = parse(answer.text);
  const commit = Check(Info, info) ? commitOf(info.sha) : null;
  if (!Check(Info, info) || commit === null) {
    throw new HubRefusal(
      `${new URL(hub.endpoint).host} does not list the files of ${repo} as the Hugging Face hub does.`,
    );
  }
  const files = info.siblings.map(({ rfilename: name, size, blobId, lfs }): ListedFile => {
    const isLarge = lfs !== undefined && lfs !== null;
    return {
      name,
      sizeBytes: lfs?.size ?? size ?? null,
      sha256: /^[0-9a-f]{64}$/.exec(lfs?.sha256 ?? '')?.[0] ?? null,
      // That of a large file is the digest of the pointer to it.
      blobId: isLarge ? null : commitOf(blobId ?? null),
    };
  });
  return { commit, files: new Map(files.map((file) => [file.name, file])) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
