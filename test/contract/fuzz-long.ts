/** `npm run fuzz [SECONDS] [SEED]`: many more requests than the tests make, and chains of them. */
import { randomInt } from 'node:crypto';
import { dismissTestServer } from '#test/database.ts';
import { fuzz } from './fuzz.ts';

const [seconds = '1200', seed = String(randomInt(1_000_000))] = process.argv.slice(2);
console.log(`seed ${seed}`);
const results = await fuzz({
  phases: 'examples,coverage,fuzzing,stateful',
  examples: 200,
  seed: Number(seed),
  maxSeconds: Number(seconds),
  timeoutMs: (Number(seconds) + 300) * 1000,
});
for (const { run, operations, requests, seconds, passed, report } of results) {
  if (!passed) console.log(report);
  console.log(
    `${passed ? 'ok    ' : 'FAILED'} ${run.name}: ${operations.length} operations, ${requests} requests, ${seconds} s`,
  );
}
await dismissTestServer();
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
