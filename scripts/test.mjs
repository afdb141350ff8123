/**
 * `npm test [-- PATTERN]`: types, lint, all tests, the tests in Python. What tests install is installed before them. A pattern runs only the test files whose path
 * contains it. Property tests take their seed from the test files, so that a run gives the same on every machine; TEST_SEED
 * sets another. The last line is "N passed, N failed" over everything; the exit code is 1 unless all passed.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { installRay } from '../src/training/runners/ray-cluster.fixture.ts';
import { dismissTestServer } from '../test/support/database.ts';
import { installLlamaServer } from '../test/support/llama-server.ts';
import { pythonProgram } from '../test/support/python.ts';
import { realModels } from '../test/support/real-models.ts';
import { fetchRealTokenizers } from '../test/support/real-tokenizers.ts';
import { findBrowser } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const venv = join(root, '.venv', 'bin');
/** Against what hangs; a run on a quiet machine takes a quarter of it. */
const wholeRunMs = 60 * 60_000;
const oneFileMs = 15 * 60_000;
/** Room for what a test file loads, in MB: with less, V8 copies it again and again while it grows. */
const execArgv = ['--min-semi-space-size=16'];
/** More are no accident. */
const mostTriedAgain = 3;
const mostSlow = 20;
/** Beside others it would be their load that is measured. */
const comparesTimes = /\/neighbour\.test\.ts$/;
/** What these guarantee (money, keys, who sees what) must not fail once either. */
const neverAgain = /^(src\/(billing|keys)|test\/isolation)\/|\/(charging|isolation)\.test\.ts$/;

process.chdir(root);
// The tests set what they need; what the caller has set for a server of their own is not for them.
for (const name of Object.keys(process.env))
  if (/^(FANFOLD_.*|HOST|PORT|DATABASE_URL|HF_ENDPOINT|HF_TOKEN|NODE_ENV|NODE_OPTIONS|NODE_TEST_CONTEXT)$/.test(name))
    delete process.env[name];

/** Runs a program to its end; its output is shown. Gives the exit code, or null when it could not be run. */
function runProgram(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      console.log(String(error));
      resolve(null);
    });
    child.on('exit', resolve);
  });
}

/** Runs a program to its end; what it says is kept until it is asked for, so that others can run beside it. */
function runBeside(command, args, env = {}) {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      const isUntold = error !== null && stdout + stderr === '';
      resolve({ code: child.exitCode, said: stdout + stderr + (isUntold ? `${error}\n` : '') });
    });
  });
}

/** Begins to look at types and style: three programs that keep one core busy each end sooner side by side than in turn on two. */
function beginChecks() {
  // Checkers on threads of their own each look at much that the others look at: with one it takes half the processor time.
  const types = ['--noEmit', '--singleThreaded'];
  const projects = ['.', 'web'].map((project) =>
    runBeside(process.execPath, ['node_modules/typescript/bin/tsc', ...types, '-p', project], { GOGC: '300' }),
  );
  const biome = ['node_modules/@biomejs/biome/bin/biome', 'check', '--colors=off', '.'];
  return { types: projects, style: [runBeside(process.execPath, biome)] };
}

/** The program, and the web app, which is a world of its own, are one check. */
async function endCheck(programs) {
  const ends = await Promise.all(programs);
  for (const { said } of ends) process.stdout.write(said);
  return ends.every(({ code }) => code === 0) ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** `failedIn`: how many tests failed in each file; `passedIn`: files of which any passed; `secondsOf`: how long each took. */
function runTests(files, concurrency) {
  return new Promise((resolve) => {
    const counts = { passed: 0, failed: 0, failedIn: new Map(), passedIn: new Set(), secondsOf: new Map() };
    // Without any, the runner would look for files of its own.
    if (files.length === 0) return resolve(counts);
    const deadline = AbortSignal.timeout(wholeRunMs);
    const events = run({ files, concurrency, timeout: oneFileMs, signal: deadline, execArgv });
    events.on('test:fail', ({ file, details }) => {
      if (details.type !== 'suite') counts.failedIn.set(file, (counts.failedIn.get(file) ?? 0) + 1);
    });
    events.on('test:pass', ({ file }) => counts.passedIn.add(file));
    events.on('test:summary', (summary) => {
      // One summary per file, and one for all, which has no file.
      if (summary.file !== undefined) return void counts.secondsOf.set(summary.file, summary.duration_ms / 1000);
      counts.passed = summary.counts.passed;
      counts.failed = summary.counts.failed + summary.counts.cancelled;
      if (!summary.success && counts.failed === 0) counts.failed = 1;
    });
    const report = events.compose(spec);
    report.pipe(process.stdout, { end: false });
    report.on('end', () => resolve(counts));
  });
}

/** What tests install, so that no test waits for it. What cannot be had fails the tests that need it; they say why. */
async function installForTests() {
  const inTurn = async (...installs) => {
    for (const install of installs) await install().catch((error) => console.log(String(error)));
  };
  // There are two cores, and the first takes as long as the others.
  await Promise.all([
    inTurn(() => pythonProgram('python')),
    inTurn(installLlamaServer, realModels, fetchRealTokenizers, installRay, findBrowser),
  ]);
}

/** Where the time of a long run goes: a suite that is kept quick is run often. */
function tellSlowest({ secondsOf }) {
  if (secondsOf.size < 2 * mostSlow) return;
  const slowest = [...secondsOf].sort(([, one], [, other]) => other - one).slice(0, mostSlow);
  console.log('\n== slowest files');
  for (const [file, seconds] of slowest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${relative(root, file)}`);
}

/** Many tests wait more than they compute: one more than there are cores. Those that compare times have the machine for themselves. */
async function runAll(files) {
  const isApart = (file) => comparesTimes.test(relative(root, file));
  const beside = await runTests(
    files.filter((file) => !isApart(file)),
    3,
  );
  const apart = await runTests(files.filter(isApart), 1);
  return {
    passed: beside.passed + apart.passed,
    failed: beside.failed + apart.failed,
    failedIn: new Map([...beside.failedIn, ...apart.failedIn]),
    passedIn: new Set([...beside.passedIn, ...apart.passedIn]),
    secondsOf: new Map([...beside.secondsOf, ...apart.secondsOf]),
  };
}

/**
 * Real processes, browsers and their networks have accidents that are not ours. So what failed is run once more when nothing else
 * runs, unless too much did, or what must not even fail once. What passes only then is named at the end: it is a defect, of the test at least.
 */
async function checkBehaviour(files) {
  const first = await runAll(files);
  tellSlowest(first);
  const again = [...first.failedIn.keys()];
  if (again.some((file) => neverAgain.test(relative(root, file)))) return first;
  if (again.length === 0 || again.length > mostTriedAgain) return first;
  console.log('\n== once more, alone');
  const second = await runTests(again, 1);
  const passed = again.filter((file) => second.passedIn.has(file) && !second.failedIn.has(file));
  const mended = passed.reduce((sum, file) => sum + first.failedIn.get(file), 0);
  return {
    passed: first.passed + mended,
    failed: first.failed - mended,
    remarks: passed.map((file) => `unsteady ${relative(root, file)}: passed only when it was run again; find out why`),
  };
}

/** Side by side: there are two cores. */
async function runPythonTests(folders) {
  if ((await runProgram('sh', ['trainer/setup.sh', '--dev'])) !== 0) return { passed: 0, failed: 1 };
  const counts = await Promise.all(folders.map(runPytest));
  const sum = (field) => counts.reduce((total, count) => total + count[field], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

async function runPytest(folder) {
  const reports = mkdtempSync(join(tmpdir(), 'fanfold-pytest-'));
  const report = join(reports, 'report.xml');
  try {
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', `--junitxml=${report}`, folder];
    const code = await runProgram(join(venv, 'python'), args);
    return countOf(readFileSync(report, 'utf8'), code);
  } catch (error) {
    console.log(String(error));
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(reports, { recursive: true });
  }
}

function countOf(report, code) {
  const number = (name) => Number(new RegExp(`<testsuite [^>]*\\b${name}="(\\d+)"`).exec(report)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const passed = number('tests') - failed - number('skipped');
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
}

/** The same wherever the same tests are run. */
function seedOf(files) {
  const digest = createHash('sha256');
  for (const file of files) digest.update(readFileSync(file));
  return digest.digest().readInt32BE();
}

function stagesFor(pattern) {
  // Backwards: the long files are in test/, and should not run alone at the end.
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts', 'scripts/**/*.test.ts'])
    .sort()
    .reverse();
  process.env.TEST_SEED ??= String(seedOf(files));
  const chosen = files.filter((file) => pattern === undefined || file.includes(pattern));
  const stages = [];
  if (pattern === undefined) {
    const { types, style } = beginChecks();
    stages.push(['types', () => endCheck(types)], ['lint', () => endCheck(style)]);
  }
  if (chosen.length > 0) stages.push(['tests', () => checkBehaviour(chosen)]);
  const folders = ['trainer', 'demo-models'].filter((folder) => pattern === undefined || folder.includes(pattern));
  if (folders.length > 0) stages.push(['python', () => runPythonTests(folders)]);
  return stages;
}

const results = [];
const installed = process.argv[2] === undefined ? installForTests() : Promise.resolve();
for (const [name, work] of stagesFor(process.argv[2])) {
  if (name === 'tests') await installed;
  console.log(`\n== ${name}`);
  const startedAt = performance.now();
  const counts = await work();
  results.push({ name, remarks: [], ...counts, seconds: (performance.now() - startedAt) / 1000 });
}
await dismissTestServer();

console.log('\n== summary');
for (const { name, passed, failed, seconds, remarks } of results)
  console.log([`${name.padEnd(8)} ${passed} passed, ${failed} failed, ${seconds.toFixed(1)} s`, ...remarks].join('\n'));
const sum = (field) => results.reduce((total, result) => total + result[field], 0);
const [passed, failed] = [sum('passed'), sum('failed')];
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);
