import { catalogue } from '../../i18n/catalogue.ts';

export const projectTexts = catalogue(
  {
    projectNavigation: (name: string) => `Project ${name}`,
    switchProject: (name: string) => `Switch project: ${name}`,
    playground: 'Playground',
    data: 'Data',
    training: 'Training',
    models: 'Models',
    overview: 'Overview',
    requests: 'Requests',
  },
  {
    projectNavigation: (name) => `项目 ${name}`,
    switchProject: (name) => `切换项目：${name}`,
    playground: '体验场',
    data: '数据',
    training: '训练',
    models: '模型',
    overview: '概览',
    requests: '请求',
  },
);
