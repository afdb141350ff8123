import { catalogue } from '../../i18n/catalogue.ts';

/** Of the dialog that makes an example of an answer. */
export const saveTexts = catalogue(
  {
    answer: 'Answer',
    answerHint: 'Correct it here if the model should have answered differently.',
    answerEmpty: 'An example needs an answer.',
    newDataset: 'New dataset …',
    datasetName: 'Name of the new dataset',
  },
  {
    answer: '回答',
    answerHint: '如果模型本应给出不同的回答，可在此修改。',
    answerEmpty: '样本需要有回答。',
    newDataset: '新建数据集…',
    datasetName: '新数据集的名称',
  },
);
