import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperatorError } from '#kernel';
import { openRunner, type RunnerValues } from './open-runner.ts';

const values: RunnerValues & { environment: Record<string, string> } = {
  trainingRunner: 'local',
  trainingPython: null,
  trainingThreads: null,
  environment: {},
  rayUrl: null,
  rayToken: null,
  rayTokenFile: null,
  rayFolder: null,
  rayWorkerFolder: null,
  rayCpus: 4,
  rayGpus: 0,
  rayPendingMs: 900_000,
};

test('attempts run where the operator says, and what lacks for it is told', () => {
  assert.equal(openRunner(values).name, 'local');
  const ray = { ...values, trainingRunner: 'ray' as const, rayUrl: 'http://ray.internal:8265', rayFolder: '/shared' };
  assert.equal(openRunner(ray).name, 'ray');
  for (const change of [{ rayUrl: null }, { rayFolder: null }, { rayTokenFile: '/nowhere/token' }])
    assert.throws(() => openRunner({ ...ray, ...change }), OperatorError);
});

test('an interpreter that is not there is told at the start by whoever starts trainers, not by the first job', () => {
  const lost = { ...values, trainingPython: '/nowhere/python' };
  const message = 'FANFOLD_TRAINING_PYTHON must be a Python interpreter; there is no /nowhere/python.';
  assert.throws(() => openRunner(lost), { name: 'OperatorError', message });
  assert.equal(openRunner(lost, false).name, 'local');
  for (const trainingPython of [process.execPath, 'python3'])
    assert.equal(openRunner({ ...values, trainingPython }).name, 'local');
});
