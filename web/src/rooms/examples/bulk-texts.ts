import { catalogue } from '../../i18n/catalogue.ts';

const examples = (count: string) => (count === '1' ? '1 example' : `${count} examples`);

export const bulkTexts = catalogue(
  {
    bar: 'Selected examples',
    choose: (name: string) => `Select: ${name}`,
    chooseAll: 'Select all that match',
    chosen: (count: string) => `${count} selected`,
    clear: 'Clear selection',
    moveTo: { train: 'Move to train', test: 'Move to test' },
    delete: 'Delete',
    moved: {
      train: (count: string): string => `Moved to train: ${examples(count)}`,
      test: (count: string): string => `Moved to test: ${examples(count)}`,
    },
    notMoved: 'They were there already.',
    undo: 'Undo',
    deleteTitle: (count: string): string => `Delete ${examples(count)}?`,
    deleteText: 'They are removed from the dataset. Frozen versions keep them.',
    deleted: (count: string): string => `Deleted: ${examples(count)}`,
    progress: (done: string) => `${done} done`,
  },
  {
    bar: '已选样本',
    choose: (name) => `选择：${name}`,
    chooseAll: '选择所有匹配项',
    chosen: (count) => `已选 ${count} 条`,
    clear: '取消选择',
    moveTo: { train: '移到训练', test: '移到测试' },
    delete: '删除',
    moved: { train: (count) => `已将 ${count} 条样本移到训练`, test: (count) => `已将 ${count} 条样本移到测试` },
    notMoved: '这些样本原本就在其中。',
    undo: '撤销',
    deleteTitle: (count) => `删除 ${count} 条样本？`,
    deleteText: '它们将从数据集中移除，已冻结的版本仍会保留。',
    deleted: (count) => `已删除 ${count} 条样本`,
    progress: (done) => `已完成 ${done} 条`,
  },
);
