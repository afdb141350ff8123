const counts = /maximum context length is (\d+) tokens.*\((\d+) in the prompt, (\d+) in max_tokens(?:, the default)?\)/;
/** Of a prompt that was too long to be read completely. */
const leastCounts = /maximum context length is (\d+) tokens.*at least (\d+) tokens/;

/** What to do about a conversation that exceeds the context length. Null: another message. */
export function overflowText(message: string, language: 'en' | 'zh'): { what: string; next: string } | null {
  if (!message.includes('maximum context length')) return null;
  if (language === 'en')
    return {
      what: message,
      next: 'Shorten a message by editing it, allow fewer tokens of an answer, or begin a new chat.',
    };
  return {
    what: chineseOf(message),
    next: '请编辑并缩短消息，减少回答的最大词元数，或开始新对话。',
  };
}

function chineseOf(message: string): string {
  const [, most, prompt, answer] = counts.exec(message) ?? [];
  if (most) return `内容超出模型上限：输入 ${prompt} 个词元，回答最多 ${answer} 个，而上限共 ${most} 个。`;
  const [, limit, least] = leastCounts.exec(message) ?? [];
  return limit
    ? `内容超出模型上限：输入至少 ${least} 个词元，而上限共 ${limit} 个。`
    : '内容超出模型的上下文长度上限。';
}
