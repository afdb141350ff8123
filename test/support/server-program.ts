/**
 * The wired program in a process of its own, on the database of the first argument; the second argument holds the
 * options as JSON. Writes its origin on one line, serves until its standard input ends, and writes its longest stall in ms.
 */
import { openDatabase } from '#db';
import { startApp } from './app.ts';
import { startStallMeter } from './stall-meter.ts';

const [url = '', options = '{}'] = process.argv.slice(2);
const database = await openDatabase({ url, maxConnections: 8, connectMs: 60_000 });
const app = await startApp(database, { watched: false, ...JSON.parse(options) });
const meter = startStallMeter();
process.stdout.write(`${app.origin}\n`);
process.stdin.resume().once('end', async () => {
  process.stdout.write(`${meter.maxMs()}\n`);
  await app.stop();
  await database.close();
});
