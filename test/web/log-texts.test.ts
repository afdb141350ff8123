import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLineOf } from '../../src/training/supervise/event-lines.ts';
import { chineseLogText } from '../../web/src/rooms/training/log-texts.ts';

type Line = Parameters<typeof logLineOf>[0];

/** What the server writes for what a trainer says. */
const written = (event: object): string => logLineOf({ seq: 1, t: 0, ...event } as Line)?.message ?? '';

test('the lines of the log that the server words are told in Chinese, with their numbers', () => {
  const told = (message: string) => chineseLogText(message, { loss: '损失', exact_match: '逐字正确的回答' });
  assert.equal(told(written({ event: 'hello', device: 'cpu' })), '训练程序运行于 cpu。');
  assert.equal(told(written({ event: 'prepared', samples: 65, steps_total: 108 })), '已准备 65 条样本，共 108 步。');
  assert.equal(told(written({ event: 'started', resumed_step: 0 })), '训练开始。');
  assert.equal(told(written({ event: 'started', resumed_step: 7 })), '从第 7 步继续训练。');
  const metrics = { loss: 2.51599, exact_match: 0, strange: 1 };
  assert.equal(
    told(written({ event: 'eval', step: 14, phase: 'during', metrics })),
    '第 14 步评估（训练中）：损失 2.516，逐字正确的回答 0，strange 1。',
  );
  assert.equal(told(written({ event: 'checkpoint', step: 9 })), '已保存第 9 步的检查点。');
  assert.equal(told(written({ event: 'finished' })), '训练程序已结束。');
});

test('what nobody has translated stays as it was written', () => {
  assert.equal(chineseLogText('CUDA out of memory', {}), 'CUDA out of memory');
});
