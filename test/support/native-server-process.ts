/** Another replica: serves the key routes on the database of its first argument until its standard input ends. */
import { openDatabase } from '#db';
import { startNativeServer } from './native-server.ts';

const [url = ''] = process.argv.slice(2);
const database = await openDatabase({ url, maxConnections: 5 });
const server = await startNativeServer(database);
process.stdout.write(`${server.origin}\n`);
process.stdin.resume().once('end', async () => {
  await server.stop();
  await database.close();
});
