import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLineOf } from '../../src/training/supervise/log-lines.ts';
import { chineseLogText } from '../../web/src/rooms/training/log-texts.ts';

type Line = Parameters<typeof logLineOf>[0];

/** What the server writes for what a trainer says. */
const lineOf = (event: object, kind: 'text' | 'embedding' = 'text') =>
  logLineOf({ seq: 1, t: 0, ...event } as Line, kind);
const written = (...of: Parameters<typeof lineOf>): string => lineOf(...of)?.message ?? '';

test('the lines of the log that the server words are told in Chinese, with their numbers', () => {
  const told = (message: string) => chineseLogText(message, { loss: '损失', exact_match: '逐字正确的回答' });
  assert.equal(told(written({ event: 'hello', device: 'cpu' })), '训练程序运行于 cpu。');
  const prepared = { event: 'prepared', samples: 65, steps_total: 108 };
  assert.equal(told(written(prepared)), '已准备 65 个序列，共 108 步。');
  assert.equal(told(written(prepared, 'embedding')), '已准备 65 个配对，共 108 步。');
  assert.equal(told(written({ event: 'started', resumed_step: 0 })), '训练开始。');
  assert.equal(told(written({ event: 'started', resumed_step: 7 })), '从第 7 步继续训练。');
  const metrics = { loss: 2.51599, exact_match: 0, strange: 1 };
  assert.equal(
    told(written({ event: 'eval', step: 14, phase: 'during', metrics })),
    '第 14 步评估（训练中）：损失 2.516，逐字正确的回答 0，strange 1。',
  );
  assert.equal(told(written({ event: 'checkpoint', step: 9 })), '已保存第 9 步的检查点。');
  assert.equal(told(written({ event: 'finished' })), '训练程序已结束。');
  assert.equal(
    told('The trainer was ended by signal 9. The attempt goes on by itself.'),
    '训练程序被信号 9 结束。本次尝试将自动继续。',
  );
});

test('the log names what examples become by the words of the product, and no trainer whose attempt goes on an error', () => {
  const prepared = { event: 'prepared', samples: 65, steps_total: 108 };
  assert.equal(written(prepared), '65 sequences are ready, for 108 steps.');
  assert.equal(written(prepared, 'embedding'), '65 pairs are ready, for 108 steps.');
  const levelOf = (code: string) => lineOf({ event: 'failed', error: { code, message: 'It ended.' } })?.level;
  assert.deepEqual(['worker_lost', 'out_of_memory'].map(levelOf), ['warn', 'error']);
});

test('what nobody has translated stays as it was written', () => {
  assert.equal(chineseLogText('CUDA out of memory', {}), 'CUDA out of memory');
});
