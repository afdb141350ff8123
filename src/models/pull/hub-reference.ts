import { ModelError } from '../model-error.ts';

/** A model of a hub, as a person names it. */
export type HubReference = {
  repo: string;
  revision: string | null;
  /** A file of the repository, with its folder where that was given. */
  file: string | null;
  /** Upper case. */
  quantisation: string | null;
};

const address = /^(?:https?:\/\/)?(?<host>[\w.-]+(?::\d+)?)\/(?<path>[^/]+\/[^/].*)$/i;
/** How the hub's pages and files are addressed. */
const pagePath = /^(?<repo>[^/]+\/[^/]+)\/(?:tree|blob|resolve|raw)\/(?<revision>[^/]+)(?:\/(?<file>.+))?$/;
const reference = /^(?<repo>[^/@:]+\/[^/@:]+)(?:@(?<revision>[^/@:]+))?(?:\/(?<file>[^@:]+))?(?::(?<tag>[^/@:]+))?$/;
const namePattern = /^[\w-][\w.-]*\/[\w-][\w.-]*$/;
const hubHosts = ['huggingface.co', 'www.huggingface.co', 'hf.co'];

/**
 * Reads `org/repo`, `org/repo:Q4_K_M`, `org/repo/file.gguf`, `org/repo@revision`, and the same behind `hf.co/` or as an
 * address of the hub. null: it is an id, which has no `/`. Throws `ModelError`.
 */
export function readHubReference(text: string, endpoint: string): HubReference | null {
  if (!text.includes('/')) return null;
  const path = pathOf(text.trim(), endpoint)
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '');
  const page = pagePath.exec(path)?.groups;
  const { repo = '', revision = null, file = null, tag = null } = page ?? reference.exec(path)?.groups ?? {};
  if (!namePattern.test(repo)) throw notUnderstood(text);
  const isFileTag = tag?.toLowerCase().endsWith('.gguf') ?? false;
  if (file !== null && tag !== null) {
    throw new ModelError(`${shown(text)} names a file and a quantisation; name one of them.`);
  }
  const namedFile = isFileTag ? tag : file;
  if (namedFile !== null && !namedFile.toLowerCase().endsWith('.gguf')) {
    throw new ModelError(`${shown(text)} names a file that is not a GGUF file; only those can be served.`);
  }
  return { repo, revision, file: namedFile, quantisation: isFileTag ? null : (tag?.toUpperCase() ?? null) };
}

/** Without the host, where there is one. */
function pathOf(text: string, endpoint: string): string {
  const isAddress = /^https?:\/\//i.test(text);
  const { host = '', path = '' } = address.exec(text)?.groups ?? {};
  const own = new URL(endpoint).host;
  if ([own, ...hubHosts].includes(host.toLowerCase())) return path;
  if (!isAddress) return text;
  throw new ModelError(`${shown(text)} is not an address of ${own}; HF_ENDPOINT names another hub.`);
}

function notUnderstood(text: string): ModelError {
  const forms = 'org/repo, org/repo:Q4_K_M, org/repo/file.gguf or org/repo@revision';
  return new ModelError(`${shown(text)} names no model of a hub; write ${forms}.`);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}
