import { catalogue } from '../../i18n/catalogue.ts';

/** Separate from the other training texts, because the dashboard needs only these. */
export const jobStateTexts = catalogue(
  {
    queued: 'waiting',
    preparing: 'preparing',
    running: 'training',
    interrupted: 'interrupted',
    saving: 'saving',
    canceling: 'being canceled',
    succeeded: 'succeeded',
    failed: 'failed',
    canceled: 'canceled',
  },
  {
    queued: '排队中',
    preparing: '准备中',
    running: '训练中',
    interrupted: '已中断',
    saving: '保存中',
    canceling: '取消中',
    succeeded: '成功',
    failed: '失败',
    canceled: '已取消',
  },
);
