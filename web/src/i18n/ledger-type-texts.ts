import { catalogue } from './catalogue.ts';

export const ledgerTypeTexts = catalogue(
  {
    inference: 'calls',
    training: 'training',
    index: 'indexing',
    grant: 'grant',
    purchase: 'purchase',
    refund: 'refund',
    adjustment: 'adjustment',
  },
  {
    inference: '调用',
    training: '训练',
    index: '索引',
    grant: '赠予',
    purchase: '购买',
    refund: '退款',
    adjustment: '调整',
  },
);
