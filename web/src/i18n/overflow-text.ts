const counts = /maximum context length is (\d+) tokens.*\((\d+) in the prompt, (\d+) in max_tokens(?:, the default)?\)/;

/**
 * What to do about a conversation that the model cannot hold. It stays as it is, so that the next message would be refused,
 * too. Null: the sentence tells of something else.
 */
export function overflowText(message: string, language: 'en' | 'zh'): { what: string; next: string } | null {
  if (!message.includes('maximum context length')) return null;
  if (language === 'en')
    return {
      what: message,
      next: 'Shorten a message by editing it, allow fewer tokens of an answer, or begin a new chat.',
    };
  const [, most, prompt, answer] = counts.exec(message) ?? [];
  return {
    what: most
      ? `内容超出模型上限：输入 ${prompt} 个词元，回答最多 ${answer} 个，而上限共 ${most} 个。`
      : '内容超出模型的上下文长度上限。',
    next: '请编辑并缩短消息，减少回答的最大词元数，或开始新对话。',
  };
}
