/**
 * `npm run openapi`: writes the published contract of the routes as they are into `docs/openapi`, and the types that the
 * web app has of it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publishedFiles } from '../test/contract/published-files.ts';
import { startApp } from '../test/support/app.ts';
import { createTestDatabase, dismissTestServer } from '../test/support/database.ts';
import { writeApiTypes } from '../web/tools/api-types.ts';

const folder = fileURLToPath(new URL('../docs/openapi', import.meta.url));
const webTypes = fileURLToPath(new URL('../web/src/api/generated/contract.ts', import.meta.url));

const database = await createTestDatabase();
const app = await startApp(database.database);
try {
  const files = publishedFiles(app.server.routeTable.rows);
  rmSync(join(folder, 'operations'), { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  writeFileSync(webTypes, writeApiTypes(JSON.parse(files.get('openapi.en.json') ?? '')));
  console.log(`docs/openapi: ${files.size} files`);
} finally {
  await app.stop();
  await database.drop();
  await dismissTestServer();
}
