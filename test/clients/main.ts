import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startAgentServer } from './agent-server.ts';
import { installClients, versions } from './install-clients.ts';
import { startRuleModel } from './rule-model.ts';
import { clients, runClient } from './run-client.ts';

/**
 * `npm run clients [-- NAME...]`: the real agents against a fresh server, whose model answers by rule. Each has to read a file,
 * mend it and run its test. Exit code 1 when one of them does not.
 */
const asked = process.argv.slice(2);
const wanted = clients.filter(({ name }) => asked.length === 0 || asked.includes(name));
const commands = await installClients();
const folder = await mkdtemp(path.join(tmpdir(), 'fanfold-clients-'));
const model = await startRuleModel();
const server = await startAgentServer(model.url);
let passed = 0;
try {
  for (const client of wanted) {
    const before = model.questions.length;
    const missing = await runClient(client, { server, commands, folder });
    // as: `versions` has them all.
    const version = versions[client.npmPackage as keyof typeof versions];
    const questions = model.questions.slice(before);
    const first = questions.find(({ tools }) => tools.length > 0);
    const about = `${questions.length} calls, the first with tools of ${first?.characters ?? 0} characters`;
    console.log(`${missing === null ? 'passed' : 'FAILED'}  ${client.name} ${version}: ${missing ?? about}`);
    if (missing === null) passed += 1;
  }
} finally {
  await server.stop();
  model.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${passed} passed, ${wanted.length - passed} failed`);
process.exitCode = passed === wanted.length ? 0 : 1;
