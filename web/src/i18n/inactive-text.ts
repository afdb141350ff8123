const sentence = /^The model (".*") of this project is not active\.$/;

/** What to do about an inactive hosted model, for which the error code is not enough. Null: another message. */
export function inactiveText(message: string, language: 'en' | 'zh'): { what: string; next: string } | null {
  const [, model] = sentence.exec(message) ?? [];
  if (model === undefined) return null;
  if (language === 'en') return { what: message, next: 'Activate it under Models, or choose another one.' };
  // as: the server writes the name as a JSON string.
  return { what: `模型“${JSON.parse(model) as string}”未启用。`, next: '请在“模型”中启用它，或选择其他模型。' };
}
