// Speaks the trainer's protocol without learning anything: what it leaves was learned long ago. The seed of the job says what
// it does; the first argument is the folder of what it leaves.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const specPath = process.argv[process.argv.indexOf('--spec') + 1];
const spec = JSON.parse(readFileSync(specPath, 'utf8'));
const out = join(dirname(specPath), spec.out_dir);
mkdirSync(out, { recursive: true });
const told = join(out, 'events.jsonl');
const before = existsSync(told)
  ? readFileSync(told, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
let [seq, activeMs] = [before.at(-1)?.seq ?? 0, before.at(-1)?.active_ms ?? 0];
const emit = (event, fields = {}) => {
  const line = JSON.stringify({ event, seq: ++seq, t: Math.round(performance.now()), active_ms: activeMs, ...fields });
  appendFileSync(told, `${line}\n`);
  process.stdout.write(`@evt ${line}\n`);
};
let ending = 0;
process.on('SIGTERM', () => (ending ||= 10));
process.stdin.on('end', () => (ending ||= 75)).resume();
const [newest] = readdirSync(out)
  .filter((name) => /^ckpt-\d+$/.test(name))
  .sort()
  .reverse();
const resumed = newest ? Number(newest.slice(5)) : 0;
const checkpoint = (step) => {
  const name = `ckpt-${String(step).padStart(6, '0')}`;
  // One that was killed here has left its draft.
  mkdirSync(join(out, `${name}.tmp`), { recursive: true });
  writeFileSync(join(out, `${name}.tmp`, 'state.json'), JSON.stringify({ step }));
  renameSync(join(out, `${name}.tmp`), join(out, name));
  emit('checkpoint', { step, path: name, bytes: 12, sha256: 'a'.repeat(64) });
};
const fail = (code, exit) => {
  emit('failed', { error: { code, message: `It is ${code}.`, hint: null, retryable: true } });
  process.exit(exit);
};
emit('hello', { protocol: 1, versions: { scripted: '1' }, device: 'cpu', threads: 1, pid: process.pid });
console.error('a line of a library');
emit('prepared', {
  samples: 10,
  trained_tokens: 100,
  context_tokens: 0,
  dropped: {},
  steps_total: spec.optim.max_steps,
});
emit('started', { resumed_step: resumed });
if (resumed === 0) emit('eval', { step: 0, phase: 'before', loss: 2, exact_match: 0 });
for (let step = resumed + 1; step <= spec.optim.max_steps; step++) {
  if (ending) {
    if (existsSync(join(out, `ckpt-${String(step - 1).padStart(6, '0')}`)) === false) checkpoint(step - 1);
    if (ending === 10) emit('cancelled', { best: {} });
    process.exit(ending);
  }
  await sleep(20);
  activeMs += 100;
  emit('progress', { step, epoch: 1, loss: 1 / step, lr: 0.1, grad_norm: 1, tokens: step * 10, tok_s: 100, eta_ms: 5 });
  if (step % 5 === 0 && step > resumed) checkpoint(step);
  // 2: dies once, while it writes its second checkpoint.
  if (spec.optim.seed === 2 && step === 7 && resumed === 0) {
    mkdirSync(join(out, 'ckpt-000010.tmp'));
    process.kill(process.pid, 'SIGKILL');
  }
  // 3: dies at the same place again and again.
  if (spec.optim.seed === 3 && step === 3) process.kill(process.pid, 'SIGKILL');
  if (spec.optim.seed === 4 && step === 6) fail('loss_diverged', 31);
  if (spec.optim.seed === 5 && step === 6) fail('internal_error', 70);
}
mkdirSync(join(out, 'adapter'), { recursive: true });
const golden = process.argv[2];
if (spec.optim.seed !== 2) {
  for (const name of ['adapter_config.json', 'adapter_model.safetensors'])
    copyFileSync(join(golden, name), join(out, 'adapter', name));
  copyFileSync(join(golden, 'check.json'), join(out, 'check.json'));
}
// The best weights are those of the step before the last one.
emit('eval', { step: spec.optim.max_steps, phase: 'during', loss: 0.3, exact_match: 0.5 });
emit('eval', { step: spec.optim.max_steps - 1, phase: 'after', loss: 0.1, exact_match: 1 });
emit('finished', { best: {} });
process.exit(0);
