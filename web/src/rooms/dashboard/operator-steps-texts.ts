import { catalogue } from '../../i18n/catalogue.ts';

export const operatorStepsTexts = catalogue(
  {
    steps: {
      chat: {
        do: 'Chat',
        why: 'The model that ships with Fanfold is tiny: it knows the invented island of Orrin, sums and a joke, and shows that everything works.',
      },
      install: {
        do: 'Install a real model',
        why: 'Search the hub, compare sizes with the memory of this machine, and use the model under an alias of your project.',
        go: 'Find a model',
      },
      call: { do: 'Call it from your code', why: 'With curl, TypeScript or Python; any OpenAI client works.' },
      train: {
        do: 'Train it',
        why: 'Import a file (sample data is here), start a training job, compare the result, and serve it.',
      },
    },
    toProjects: 'To your projects',
    makeKey: 'Make a key and show the code',
    keyName: 'First steps',
    keyOnce: 'The key is shown this once. It works from now on.',
    sample: 'Download sample data',
    toData: 'Import it',
    toTraining: 'New training job',
  },
  {
    steps: {
      chat: { do: '对话', why: 'Fanfold 自带的模型很小：只知道虚构的 Orrin 岛、算术和一个笑话，用来表明一切正常。' },
      install: {
        do: '安装真正的模型',
        why: '搜索模型中心，将大小与本机内存比较，并以项目别名使用该模型。',
        go: '查找模型',
      },
      call: { do: '从代码中调用', why: '使用 curl、TypeScript 或 Python；任意 OpenAI 客户端均可。' },
      train: { do: '训练', why: '导入文件（附示例数据），开始训练任务，比较结果并提供服务。' },
    },
    toProjects: '前往项目',
    makeKey: '创建密钥并显示代码',
    keyName: '入门步骤',
    keyOnce: '密钥仅显示这一次，即刻生效。',
    sample: '下载示例数据',
    toData: '导入',
    toTraining: '新建训练任务',
  },
);
