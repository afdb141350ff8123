import { catalogue } from '../../i18n/catalogue.ts';

export const imageTexts = catalogue(
  {
    attach: 'Attach images',
    attached: 'Attached images',
    image: (number: string) => `Image ${number}`,
    remove: (number: string) => `Remove image ${number}`,
    blind: 'This model does not read images. Choose a model with vision, or remove the images.',
    blindChat:
      'This chat has images, and this model does not read them. Choose a model with vision, or begin a new chat.',
    problems: {
      type: 'This is not an image that can be sent. Images are PNG, JPEG, WebP or GIF.',
      count: 'A message takes at most 8 images.',
      size: 'These images are too large together. Send fewer, or smaller ones.',
    },
  },
  {
    attach: '添加图片',
    attached: '已添加的图片',
    image: (number) => `图片 ${number}`,
    remove: (number) => `移除图片 ${number}`,
    blind: '此模型无法读取图片。请选择支持视觉的模型，或移除图片。',
    blindChat: '此对话中有图片，而此模型无法读取。请选择支持视觉的模型，或开始新对话。',
    problems: {
      type: '此文件不是可发送的图片。图片格式为 PNG、JPEG、WebP 或 GIF。',
      count: '一条消息最多包含 8 张图片。',
      size: '这些图片总大小超出限制。请减少图片数量或使用更小的图片。',
    },
  },
);
