/**
 * An OpenID provider in a process of its own: the settings of the first argument as JSON. Writes its issuer on one line
 * and serves until its standard input ends. Whoever says he is one of the people is believed.
 */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import type { OidcProgramSettings } from './oidc-provider.ts';

// as: the only caller is `oidc-provider.ts` beside this file.
const { clientId, clientSecret, redirectUri, people } = JSON.parse(process.argv[2] ?? '') as OidcProgramSettings;

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    pkce: { required: () => true },
    cookies: { keys: ['a key of this test'] },
  });
  server.on('request', provider.callback());
  process.stdout.write(`${issuer}\n`);
});
process.stdin.resume().once('end', () => process.exit());
