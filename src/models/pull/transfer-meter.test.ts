import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTransferMeter, renderProgress, type TransferProgress } from './transfer-meter.ts';

function measure() {
  const reports: TransferProgress[] = [];
  let nowMs = 0;
  const meter = createTransferMeter(
    (report) => reports.push(report),
    () => nowMs,
    { bytesBefore: 0, totalBytes: 100_000_000 },
  );
  return { meter, reports, pass: (ms: number) => (nowMs += ms) };
}

test('the rate is that of the last seconds, and the end is expected from it', () => {
  const { meter, reports, pass } = measure();
  let bytes = 0;
  meter.report('download', 0);
  // A slow start of 20 s, then 5 MB/s.
  for (let i = 0; i < 20; i++) {
    pass(1000);
    bytes += 1000;
    meter.report('download', bytes);
  }
  for (let i = 0; i < 10; i++) {
    pass(1000);
    bytes += 5_000_000;
    meter.report('download', bytes);
  }
  const last = reports.at(-1);
  assert.equal(last?.bytesPerSecond, 5_000_000);
  assert.equal(last?.etaSeconds, 10);
});

test('reports come at most every 200 ms, and at once when asked', () => {
  const { meter, reports, pass } = measure();
  for (let i = 0; i < 1000; i++) {
    pass(1);
    meter.report('download', i);
  }
  assert.ok(reports.length <= 6, `${reports.length}`);
  meter.report('download', 1000, true);
  assert.equal(reports.at(-1)?.receivedBytes, 1000);
});

test('bytes whose digest is computed, and a restart, do not count as speed', () => {
  const { meter, reports, pass } = measure();
  meter.report('check', 900_000_000, true);
  pass(1000);
  meter.report('download', 900_000_000, true);
  pass(1000);
  meter.report('download', 901_000_000, true);
  assert.equal(reports.at(-1)?.bytesPerSecond, 1_000_000);
  pass(1000);
  meter.report('download', 0, true);
  assert.equal(reports.at(-1)?.bytesPerSecond, 0);
  pass(1000);
  meter.report('download', 500, true);
  assert.equal(reports.at(-1)?.bytesPerSecond, 500);
});

test('progress reads as one line', () => {
  const progress = { phase: 'download', receivedBytes: 312_000_000, totalBytes: 639_446_688 } as const;
  assert.equal(
    renderProgress({ ...progress, bytesPerSecond: 11_200_000, etaSeconds: 29 }),
    '312 MB of 639 MB, 48 %, 11.2 MB/s, 29 s left',
  );
  assert.equal(
    renderProgress({ ...progress, phase: 'check', bytesPerSecond: 0, etaSeconds: null }),
    'checking 312 MB of 639 MB',
  );
  assert.match(renderProgress({ ...progress, bytesPerSecond: 1, etaSeconds: 3_700 }), /1 h 1 min left/);
});
