import type { World } from './world.ts';

/**
 * The isolation matrix: one row per operation, one column per kind of caller, in each cell what he gets. A route cannot
 * be added without its row (`isolation-matrix.test.ts`); `README.md` tells how to write one.
 */
export const callers = [
  'owner',
  'operator',
  'shared',
  'public',
  'stranger',
  'suspended',
  'deactivatedKey',
  'noCredential',
] as const;

/**
 * Who asks, and about what: the owner about his private project; somebody whom he shared a model with about the private
 * project of that model; an operator about the private one, who is a stranger there; somebody about the owner's public project; the same somebody (`stranger`) about the private one;
 * an account that is suspended about its own project; the owner's deactivated key and nobody about the private one.
 */
export type Caller = (typeof callers)[number];

/** `'200'` for an answer, `'404 not_found'` for a refusal: its status and `error.code`. */
export type Cell = `${number}` | `${number} ${string}`;

export type Cells = Record<Caller, Cell>;

/** A request of an operation, apart from method and path. `owner` and `project` of the path are the column's by default. */
export type Asked = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
};

/** The project that a column is about, with what its owner keeps in it. */
export type Place = {
  ownerSlug: string;
  projectId: string;
  project: string;
  kind: 'text' | 'embedding';
  /** An active hosted model, shared with the `shared` column in its own place. */
  hostedModelId: string;
  alias: string;
};

export type Scene = {
  world: World;
  caller: Caller;
  place: Place;
  /**
   * Asks the API as the owner, who must succeed; the path starts at `/api/`, or is relative to the project of the place.
   * For what a row needs: `const { id } = await owner('POST', 'datasets', {...})`. The id becomes a secret, unless the
   * place is one that others see.
   */
  owner: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
};

export type Row = {
  operation: string;
  /** Of several routes with one operation, the one with this method or path. */
  route?: { method?: string; path?: string };
  /**
   * Made anew for each cell, the owner's last: what it refers to must exist, so that the owner's success proves that the
   * refusals before it were not for a wrong request. Where the operation destroys its object, make one here.
   */
  request?: (scene: Scene) => Asked | Promise<Asked>;
  /** What the project must be; default: text. */
  kind?: Place['kind'];
  /** The last part of the path is a name that other projects may use too, not an id. */
  byName?: boolean;
  expected: Cells;
  /**
   * Attempts beyond the columns: foreign ids in bodies and queries, above all. `like` makes the request that must be
   * answered word for word the same, with an id that does not exist.
   */
  attempts?: readonly Attempt[];
};

export type Attempt = {
  name: string;
  /** Default: the stranger. */
  caller?: Caller;
  request: (scene: Scene) => Asked | Promise<Asked>;
  expected: Cell;
  like?: (scene: Scene) => Asked | Promise<Asked>;
};

const unauthenticated = {
  suspended: '403 account_suspended',
  deactivatedKey: '401 invalid_credentials',
  noCredential: '401 invalid_credentials',
} as const;

const hidden = '404 not_found';

/** About the caller's own account: every account gets its own answer. */
export const ownAccount = (ok: Cell = '200'): Cells => ({
  owner: ok,
  operator: ok,
  shared: ok,
  public: ok,
  stranger: ok,
  ...unauthenticated,
});

/** Something of the owner's account that has an id: for others it does not exist. */
export const ownObject = (ok: Cell = '200'): Cells => ({
  owner: ok,
  operator: hidden,
  shared: hidden,
  public: hidden,
  stranger: hidden,
  ...unauthenticated,
});

/** Part of a project that only its owner may see; whoever else sees the project does not see this. */
export const ownerOnlyRead = (ok: Cell = '200'): Cells => ownObject(ok);

/** A change in a project: who sees the project is told that only its owner may, for others it does not exist. */
export const ownerOnlyChange = (ok: Cell = '200'): Cells => ({
  ...ownObject(ok),
  shared: '403 owner_required',
  public: '403 owner_required',
});

/** Whoever sees the project may read this. */
export const visibleRead = (ok: Cell = '200'): Cells => ({ ...ownObject(ok), shared: ok, public: ok });

/** For anyone, with or without a credential. */
export const everyone = (ok: Cell = '200'): Cells => ({
  ...ownAccount(ok),
  suspended: ok,
  deactivatedKey: ok,
  noCredential: ok,
});

/** A compatible route: for the owner, for whom the model of the place is shared with, and in the public place for all. */
export const modelCall = (ok: Cell = '200'): Cells => ({
  ...visibleRead(ok),
  operator: '404 project_not_found',
  stranger: '404 project_not_found',
});

/** The same in the words of Anthropic's interface. */
export const messagesCall = (): Cells => ({
  ...modelCall(),
  operator: '404 not_found_error',
  stranger: '404 not_found_error',
  suspended: '403 permission_error',
  deactivatedKey: '401 authentication_error',
  noCredential: '401 authentication_error',
});

/** For operators only, whatever it is about. */
export const operatorOnly = (ok: Cell = '200'): Cells => ({
  ...ownAccount('403 forbidden'),
  operator: ok,
});

/** Some cells otherwise: `but(ownerOnlyRead(), { shared: '200' })`. */
export const but = (cells: Cells, others: Partial<Cells>): Cells => ({ ...cells, ...others });
