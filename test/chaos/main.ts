import { runReplicas } from '../replicas/run.ts';
import { runJobChaos } from './jobs.ts';
import { runChaos, type Victim } from './run.ts';

/**
 * `npm run chaos [-- kills [clients [seed]]]`: a long run of kills under load.
 * `npm run chaos -- jobs [seed [jobs]]`: server and trainers are killed while real jobs learn.
 * `npm run chaos -- replicas [rounds [clients [seed [jobs]]]]`: three servers, a worker, a remote engine and a Ray cluster behind a load
 * balancer, about six minutes a round.
 * Exit code 1 when a promise is broken.
 */
const [first = '100', ...rest] = process.argv.slice(2);
if (first === 'jobs') process.exitCode = await killJobs(rest);
else if (first === 'replicas') process.exitCode = await breakReplicas(rest);
else process.exitCode = await killCalls([first, ...rest]);

async function killCalls([kills, clients = '32', seed = '1']: string[]): Promise<number> {
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
  return broken === 0 ? 0 : 1;
}

async function killJobs([seed = '1', count = '10']: string[]): Promise<number> {
  const jobs = Number(count);
  const report = await runJobChaos({ seed: Number(seed), jobs, report: console.log });
  console.log(report);
  const { succeeded, broken, findings } = report;
  return succeeded === jobs && broken.length + findings.length === 0 ? 0 : 1;
}

async function breakReplicas([rounds = '1', clients = '12', seed = '1', jobs = '4']: string[]): Promise<number> {
  const counts = { rounds: Number(rounds), clients: Number(clients), seed: Number(seed), jobs: Number(jobs) };
  const { broken, ...report } = await runReplicas({ ...counts, report: console.log });
  console.log(report);
  for (const line of broken) console.log(`BROKEN: ${line}`);
  return broken.length === 0 ? 0 : 1;
}
