import { isFields, OperatorError } from '#kernel';
import { type AgentServer, keyVariable } from './programs.ts';

type ServerQuery = { url: string; project: string; model: string | undefined; key: string | undefined };

/** Asks the running installation, with the key of the user, which models there are and how long their contexts are. */
export async function askServer({ url, project, model, key }: ServerQuery): Promise<AgentServer> {
  if (key === undefined) {
    if (model !== undefined) return { url, project, model, contextTokens: null };
    throw new OperatorError(
      `Set ${keyVariable} to the key that the first start printed, or to one of: fanfold keys create. Or name a model: --model`,
    );
  }
  const hosted = await contextsOf(`${url}/api/v1/projects/${project}/hosted-models?limit=100`, key);
  const names = hosted ?? (await namesOf(`${url}/api/projects/${project}/openai/v1/models`, key));
  if (model !== undefined && !names.has(model) && names.size < 100)
    throw new OperatorError(`There is no model ${model} in ${project}. There are: ${[...names.keys()].join(', ')}`);
  const chosen = model ?? [...names.keys()][0];
  if (chosen === undefined) throw new OperatorError(`The project ${project} has no model that can be called.`);
  return { url, project, model: chosen, contextTokens: names.get(chosen) ?? null };
}

type Contexts = Map<string, number | null>;

/** What the project of the user hosts, aliases first; null: it is another's. */
async function contextsOf(address: string, key: string): Promise<Contexts | null> {
  const rows = await listAt(address, key);
  if (rows === null) return null;
  const active = rows.filter(({ state, kind }) => (state === 'active' || state === 'warming') && kind === 'text');
  const ordered = [
    ...active.filter(({ source }) => source === 'alias'),
    ...active.filter(({ source }) => source !== 'alias'),
  ];
  return new Map(ordered.map(({ alias, limits }) => [String(alias), contextIn(limits)]));
}

const contextIn = (limits: unknown): number | null =>
  isFields(limits) && typeof limits['max_context_tokens'] === 'number' ? limits['max_context_tokens'] : null;

async function namesOf(address: string, key: string): Promise<Contexts> {
  const rows = (await listAt(address, key)) ?? [];
  return new Map(rows.map(({ id }) => [String(id), null]));
}

/** null: this key may not ask that. */
async function listAt(address: string, key: string): Promise<Record<string, unknown>[] | null> {
  const { origin } = new URL(address);
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(30_000),
  }).catch((error: unknown) => {
    throw new OperatorError(`Fanfold does not answer at ${origin}. Start it, or say where it is with --url.`, {
      cause: error,
    });
  });
  if (response.status === 401) throw new OperatorError(`The key in ${keyVariable} is not valid at ${origin}.`);
  if (!response.ok) return null;
  const body: unknown = await response.json();
  return isFields(body) && Array.isArray(body['data']) ? body['data'].filter(isFields) : [];
}
