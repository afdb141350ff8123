import { runReplicas } from '../replicas/run.ts';
import { runChaos, type Victim } from './run.ts';

/**
 * Exit code 1 when a promise is broken.
 *   npm run chaos [-- kills [clients [seed]]]              a long run of kills of one server and its parts under load
 *   npm run chaos -- replicas [rounds [clients [seed]]]    three servers behind a load balancer, about two minutes a round
 */
const [first, ...others] = process.argv.slice(2);
if (first === 'replicas') {
  const [rounds = '1', clients = '12', seed = '1'] = others;
  const options = { rounds: Number(rounds), clients: Number(clients), seed: Number(seed), report: console.log };
  const { broken, ...report } = await runReplicas(options);
  console.log(report);
  for (const line of broken) console.log(`BROKEN: ${line}`);
  process.exit(broken.length === 0 ? 0 : 1);
}
const [kills = '100', clients = '32', seed = '1'] = process.argv.slice(2);
const order: Victim[] = ['server', 'engine', 'postgres', 'engine', 'server'];
const victims = Array.from({ length: Number(kills) }, (_, n) => order[n % order.length] ?? 'server');
const report = await runChaos({
  seed: Number(seed),
  clients: Number(clients),
  victims,
  pauseMs: 3000,
  report: console.log,
});
const { recoveryMs, ...audit } = report;
console.log(audit);
for (const [victim, times] of Object.entries(recoveryMs)) {
  const sorted = times.sort((a, b) => a - b);
  console.log(
    `${victim}: ${sorted.length} kills, recovery p50 ${sorted[sorted.length >> 1]?.toFixed(0)} ms, max ${sorted.at(-1)?.toFixed(0)} ms`,
  );
}
const broken = audit.unpaid + audit.wronglyPaid + audit.double + audit.rejectedKeys + audit.findings.length;
process.exitCode = broken === 0 ? 0 : 1;
