import { bearer } from '#test/accounts.ts';
import type { Given, Leak, Sent } from './leaky-proxy.ts';
import { canary, type World } from './world.ts';

/** A flaw of the service, the operation that has it, and what the matrix must then complain of. */
export type Flaw = { name: string; operation: string; leak: Leak; complaint: RegExp };

const isOwner = ({ headers }: Sent, { owner }: World) => headers.authorization === `Bearer ${owner.key}`;
const namesSecret = ({ path }: Sent, { secrets }: World) => secrets.readIn(path).length > 0;
const asOwner = (sent: Sent, { owner }: World): Sent => ({
  ...sent,
  headers: { ...sent.headers, ...bearer(owner.key) },
});

/** Answers to others about what is the owner's, changed. */
const toOthers =
  (spoil: (given: Given) => Given): Leak =>
  async (sent, ask, world) => {
    const given = await ask(sent);
    return namesSecret(sent, world) && !isOwner(sent, world) ? spoil(given) : given;
  };

export const flaws: Flaw[] = [
  {
    name: 'another account changes what is not its own',
    operation: 'keys.deactivate',
    leak: async (sent, ask, world) => ask(sent.headers.authorization ? asOwner(sent, world) : sent),
    complaint: /stranger \(api_key\): expected 404 not_found, got 200/,
  },
  {
    name: 'what exists is forbidden instead of unknown',
    operation: 'keys.delete',
    leak: toOthers((given) => ({ ...given, status: given.status === 404 ? 403 : given.status })),
    complaint: /stranger \(session\): expected 404 not_found, got 403/,
  },
  {
    name: 'the words tell what exists',
    operation: 'keys.delete',
    leak: toOthers((given) => ({ ...given, body: given.body.replace('no such key', 'no such key of yours') })),
    complaint: /another keyId, which does not exist, is answered differently/,
  },
  {
    name: 'a header tells what exists',
    operation: 'keys.activate',
    leak: toOthers((given) => ({ ...given, headers: { ...given.headers, 'x-cache': 'hit' } })),
    complaint: /x-cache: hit/,
  },
  {
    name: 'a list shows what others own',
    operation: 'keys.list',
    leak: async (sent, ask, world) => {
      const given = await ask(sent);
      return isOwner(sent, world) ? given : { ...given, body: given.body.replace('first key', `${canary} key`) };
    },
    complaint: new RegExp(`reads ${canary}`),
  },
  {
    name: 'a change is refused and made all the same',
    operation: 'keys.delete',
    leak: async (sent, ask, world) => {
      const given = await ask(sent);
      if (sent.method === 'DELETE' && given.status === 404) await ask(asOwner(sent, world));
      return given;
    },
    complaint: /owner after stranger \(api_key\).*: expected 204, got 404/,
  },
  {
    name: 'a key that was deactivated still works',
    operation: 'projects.list',
    leak: async (sent, ask, world) =>
      ask(sent.headers.authorization === `Bearer ${world.deadKey}` ? asOwner(sent, world) : sent),
    complaint: /deactivatedKey \(api_key\): expected 401 invalid_credentials, got 200/,
  },
  {
    name: 'a project is not looked at, only the id',
    operation: 'saved_calls.read',
    leak: async (sent, ask, { places }) =>
      ask({ ...sent, path: sent.path.replace(places.text.elsewhere.project, places.text.private.project) }),
    complaint: /owner \(api_key\): an id of .* works in .*elsewhere/,
  },
];
