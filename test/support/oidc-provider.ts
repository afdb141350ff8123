import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type OidcProgramSettings = {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** What the provider says about each person, by subject. */
  people: Record<string, Record<string, unknown>>;
};

export type OidcProvider = { issuer: string; stop: () => Promise<void> };

const program = fileURLToPath(new URL('./oidc-program.ts', import.meta.url));

/** A real OpenID provider on loopback, with a page for signing in and one for consent. */
export async function startOidcProvider(settings: OidcProgramSettings): Promise<OidcProvider> {
  // Its warnings that it is not for production are right, and of no interest here.
  const child = spawn(process.execPath, ['--no-warnings', program, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const issuer = String((await lines.next()).value);
  return {
    issuer,
    stop: async () => {
      const gone = once(child, 'exit');
      child.stdin.end();
      await gone;
    },
  };
}
