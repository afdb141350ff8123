import { catalogue } from '../../i18n/catalogue.ts';

const english = {
  title: 'Delete project',
  text: 'The project and everything in it are deleted. This cannot be undone.',
  action: 'Delete project',
  confirm: (name: string) => `Delete “${name}”?`,
  goes: 'This deletes at once, for you and for everyone you share models with:',
  datasets: (count: number) => `Datasets with their examples, versions and indexes: ${count}`,
  jobs: (count: number) => `Training jobs with their trained models: ${count}`,
  models: (count: number) => `Models that programs call by name: ${count}`,
  others: 'Chats, saved calls, imports and search feedback',
  stays: 'The ledger and the activity stay. The URL name is free for a new project.',
  typed: (slug: string) => `Type ${slug} to confirm`,
  done: (name: string) => `“${name}” was deleted.`,
};

const chinese: typeof english = {
  title: '删除项目',
  text: '删除项目及其中的全部内容。此操作无法撤销。',
  action: '删除项目',
  confirm: (name) => `删除“${name}”？`,
  goes: '以下内容将立即删除，你和你共享模型的所有人都无法再访问：',
  datasets: (count) => `数据集及其样本、版本和索引：${count}`,
  jobs: (count) => `训练任务及其训练出的模型：${count}`,
  models: (count) => `程序按名称调用的模型：${count}`,
  others: '对话、已保存的调用、导入和搜索反馈',
  stays: '账目和动态会保留。该 URL 名称可用于新项目。',
  typed: (slug) => `输入 ${slug} 以确认`,
  done: (name) => `“${name}”已删除。`,
};

export const deleteTexts = catalogue(english, chinese);
