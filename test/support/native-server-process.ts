/**
 * Another replica: serves the key routes on the database of its first argument until its standard input ends. The
 * second argument holds limits as JSON. Writes its origin on one line, and at the end the longest stall in ms.
 */
import { openDatabase } from '#db';
import { startNativeServer } from './native-server.ts';
import { startStallMeter } from './stall-meter.ts';

const [url = '', limits = '{}'] = process.argv.slice(2);
const database = await openDatabase({ url, maxConnections: 5 });
const server = await startNativeServer(database, { limits: JSON.parse(limits) });
const meter = startStallMeter();
process.stdout.write(`${server.origin}\n`);
process.stdin.resume().once('end', async () => {
  process.stdout.write(`${meter.maxMs()}\n`);
  await server.stop();
  await database.close();
});
