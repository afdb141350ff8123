import { type HubAnswer, type HubOptions, HubRefusal, TransferError } from './hub-client.ts';

type HubRequest = {
  hub: HubOptions;
  /** A repository, or a file of it. */
  repo: string;
  file?: string | undefined;
  revision: string;
};

/** Throws for every status but 200: `TransferError` where another attempt may help, else `HubRefusal`. */
export function checkStatus(
  answer: Pick<HubAnswer, 'status' | 'retryAfterMs' | 'errorCode'>,
  request: HubRequest,
): void {
  if (answer.status === 200) return;
  const host = new URL(request.hub.endpoint).host;
  checkAvailable(answer, host);
  throw new HubRefusal(refusalOf(answer, { ...request, host }));
}

/** Throws `TransferError` for a status after which another attempt may help. */
export function checkAvailable(
  { status, retryAfterMs }: Pick<HubAnswer, 'status' | 'retryAfterMs'>,
  host: string,
): void {
  if (status === 408 || status === 429 || status >= 500)
    throw new TransferError(`${host} answered ${status}`, { retryAfterMs });
}

function refusalOf(
  { status, errorCode }: Pick<HubAnswer, 'status' | 'errorCode'>,
  { hub, host, repo, file, revision }: HubRequest & { host: string },
): string {
  if (errorCode === 'GatedRepo') {
    const then = hub.token
      ? 'with the account of the access token (HF_TOKEN)'
      : 'and set HF_TOKEN to an access token of your account';
    return `${repo} is gated: accept its terms at ${hub.endpoint}/${repo} ${then}.`;
  }
  if (errorCode === 'RevisionNotFound') return `${repo} has no revision ${revision}.`;
  if (errorCode === 'EntryNotFound') return `${host} has no file ${repo}/${file ?? ''} at revision ${revision}.`;
  const token = hub.token ? 'the access token (HF_TOKEN) does not open it' : 'it needs an access token (HF_TOKEN)';
  // Private repositories are answered alike.
  if (errorCode === 'RepoNotFound' || (file === undefined && status === 404))
    return `${host} has no repository ${repo}, or ${token}; look it up with: fanfold models search WORD`;
  const name = file === undefined ? repo : `${repo}/${file}`;
  if (status === 401 || status === 403) return `${host} refuses ${name}: ${token}.`;
  if (status === 404) return `${host} has no file ${name} at revision ${revision}.`;
  return `${host} answered ${status} for ${name}.`;
}
