type Names = Readonly<Record<string, string>>;
type Row = readonly [english: RegExp, chinese: (values: readonly string[], metrics: Names) => string];

const phases: Names = { before: '训练前', during: '训练中', after: '训练后' };

/** Metric names with numbers, as the server lists them. */
function measured(list: string, names: Names): string {
  if (list === 'nothing measured') return '没有测量数据';
  return list
    .split(', ')
    .map((entry) => {
      const [name = '', value = ''] = entry.split(' ');
      return `${names[name] ?? name} ${value}`;
    })
    .join('，');
}

/** Lines of the server; lines of trainers are not translated. */
const rows: readonly Row[] = [
  [/^The job waits for a worker\.$/, () => '任务正在等待执行。'],
  [/^Attempt (\d+) waits for a worker\.$/, ([attempt]) => `第 ${attempt} 次尝试正在等待执行。`],
  [/^A worker has taken the job\.$/, () => '任务已开始执行。'],
  [/^A worker goes on with the job\.$/, () => '任务继续执行。'],
  [/^The trainer runs on (.+)\.$/, ([device]) => `训练程序运行于 ${device}。`],
  [
    /^(\d+) (sequences|pairs) are ready, for (\d+) steps\.$/,
    ([count, made, steps]) => `已准备 ${count} 个${made === 'pairs' ? '配对' : '序列'}，共 ${steps} 步。`,
  ],
  [
    /^(\d+) of (\d+) held-out (\w+) are learned from as well, so the metrics promise too much\. Give each of them one split\.$/,
    ([learned, all, what]) =>
      `${all} 个留出的${what === 'queries' ? '查询' : '对话'}中有 ${learned} 个同时用于训练，因此指标偏高。请让每一个只属于一个划分。`,
  ],
  [/^Training begins\.$/, () => '训练开始。'],
  [/^Training goes on from step (\d+)\.$/, ([step]) => `从第 ${step} 步继续训练。`],
  [/^Training has started; active time is charged from now on\.$/, () => '训练已开始，从现在起按活跃时间计费。'],
  [
    /^Evaluation at step (\d+)(?: \((\w+)\))?: (.+)\.$/,
    ([step, phase = '', list = ''], names) => {
      const when = phase === '' ? '' : `（${phases[phase] ?? phase}）`;
      return `第 ${step} 步评估${when}：${measured(list, names)}。`;
    },
  ],
  [/^Checkpoint at step (\d+)\.$/, ([step]) => `已保存第 ${step} 步的检查点。`],
  [/^(\S+) is written\.$/, ([name]) => `已写入 ${name}。`],
  [/^The trainer has finished\.$/, () => '训练程序已结束。'],
  [/^The trainer has stopped\.$/, () => '训练程序已停止。'],
  [/^Training is done\. The adapter is being checked and saved\.$/, () => '训练完成，正在检查并保存适配器。'],
  [/^The job has succeeded\.$/, () => '任务成功。'],
  [/^The job is being canceled\.$/, () => '正在取消任务。'],
  [/^The job was canceled\.$/, () => '任务已取消。'],
  [/^The server stops; the attempt goes on later\.$/, () => '服务器即将停止，稍后继续本次尝试。'],
  [/^The program that started the training is gone\.$/, () => '启动训练的程序已丢失。'],
  [/^The worker has shown no life for a while\.$/, () => '执行进程已有一段时间没有响应。'],
  [/^The trainer was interrupted\.$/, () => '训练程序被中断。'],
  [/^The trainer was killed\.$/, () => '训练程序被强制结束。'],
  [/^The trainer was ended by signal (\d+)\.$/, ([signal]) => `训练程序被信号 ${signal} 结束。`],
  [
    /^(.+) The attempt goes on by itself\.$/,
    ([reason = ''], names) => `${chineseLogText(reason, names)}本次尝试将自动继续。`,
  ],
];

/** A known line of the log in Chinese; `metrics` are their names. */
export function chineseLogText(message: string, metrics: Names): string {
  for (const [english, chinese] of rows) {
    const found = english.exec(message);
    if (found) return chinese(found.slice(1), metrics);
  }
  return message;
}
