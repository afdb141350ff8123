import { catalogue } from '../../i18n/catalogue.ts';
import { pluralize } from '../../i18n/pluralize.ts';

export const guidesTexts = catalogue(
  {
    title: 'Guides',
    lead: 'How to call models, bring in data, train, and operate this server.',
    language: 'The guides are written in English.',
    search: 'Search the guides',
    all: 'All guides',
    contents: 'On this page',
    found: (count: string) => pluralize(count, 'section'),
    nothingFor: (query: string) => `No guide contains “${query}”. Try fewer or shorter words.`,
    reference: 'API reference',
    groups: {
      calls: 'Call models',
      accounts: 'Accounts and money',
      data: 'Data and training',
      operation: 'Operate',
    },
  },
  {
    title: '指南',
    lead: '如何调用模型、导入数据、训练以及运维此服务器。',
    language: '指南仅提供英文版。',
    search: '搜索指南',
    all: '全部指南',
    contents: '本页内容',
    found: (count) => `${count} 个章节`,
    nothingFor: (query) => `没有包含“${query}”的指南。请尝试更少或更短的词。`,
    reference: 'API 参考',
    groups: {
      calls: '调用模型',
      accounts: '账户与费用',
      data: '数据与训练',
      operation: '运维',
    },
  },
);
