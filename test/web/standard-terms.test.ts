import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '#test/source-tree.ts';

/** Wordings of the web app that standard terms replaced, in both languages. */
const replacedWordings: readonly { old: RegExp; now: string }[] = [
  { old: /tokens of an answer|longest (?:input|sequence)|每次回答的词元数|最长输入/i, now: 'Max tokens, 最大词元数' },
  {
    old: /(?<!reset to the )default of the (?:base )?model|\bby default\b|基础模型的默认值/i,
    now: 'Model default, 模型默认',
  },
  { old: /^loss$|learned from$|^损失$|已学习词元/i, now: 'Training loss, 训练损失' },
  { old: /held[- ]out loss|^held out\b|留出损失|^留出：/i, now: 'Validation loss, 验证损失' },
  { old: /(?:length|size) of the gradient/i, now: 'Gradient norm, 梯度范数' },
  { old: /stop after evaluations|连续多少次评估/i, now: 'Early stopping, 早停' },
  { old: /control set|must not be forgotten|不应遗忘/i, now: 'Regression check, 回归检查' },
  { old: /^result$|^训练结果$/i, now: 'Results, 结果' },
  { old: /what it takes|^预计费用$/i, now: 'Cost estimate, 费用估算' },
  { old: /stands for(?! a line break)|stood for/i, now: 'Points to, 指向' },
  {
    old: /\b(?:put|puts|model|target)\b.* behind|behind (?:a|the|its) (?:name|alias)|背后/i,
    now: 'Switch model, 切换模型',
  },
  { old: /br(?:ing|ought) back|恢复修订/i, now: 'Roll back, 回滚' },
  {
    old: /make (?:it|them) (?:an )?examples?|save (?:it |this answer )?as (?:an )?example|^作为样本|存为样本/i,
    now: 'Add to dataset, 添加到数据集',
  },
  { old: /compared? with the one before|^compared with$|^比较对象$|与上一版本比较/i, now: 'Compare with, 对比' },
  { old: /\bslugs?\b|part of (?:its|the) address|地址中的标识/i, now: 'URL name, URL 名称' },
  { old: /open(?:ed)? (?:an |your )?account|account opened|开立|^注册$|注册账户/i, now: 'Create account, 创建账户' },
  { old: /as the system|跟随系统/i, now: 'System, 系统' },
  { old: /^the event$|^without details$|^不含细节$/i, now: 'Details, 详情' },
  { old: /say something|说点什么/i, now: 'Message, 消息' },
];

const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const values = /\$\{[^}]*\}/g;
const literals = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;

/** The texts in a source file: its string literals, without the values in them. */
function textsOf(source: string): string[] {
  return [...source.replace(comments, '').replace(values, '…').matchAll(literals)].map(
    ([, quoted, template]) => quoted ?? template ?? '',
  );
}

const files = globSync('web/src/**/*-texts.ts', { cwd: root });

test('texts of the web app use the standard terms in both languages', () => {
  assert.ok(files.length > 20, `${files.length} files with texts`);
  const found = files.flatMap((file) =>
    textsOf(readFileSync(join(root, file), 'utf8')).flatMap((text) =>
      replacedWordings.filter(({ old }) => old.test(text)).map(({ now }) => `${file}: ${text} -> ${now}`),
    ),
  );
  assert.deepEqual(found, []);
});

test('a replaced wording is found in quoted texts and in templates, not in comments or names of values', () => {
  const source = `// Stands for\nconst t = { slug: 'Stands for', of: (slug: string) => \`Bring back \${slug}\` };`;
  assert.deepEqual(textsOf(source), ['Stands for', 'Bring back …']);
});
