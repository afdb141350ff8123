const sentence = /^(The (?:base )?model .*?)[.;] [^.;]*: fanfold models /;

/** Of a model that is not installed: the server names a command, which nobody can enter here. Null: another message. */
export function missingModelText(message: string, language: 'en' | 'zh'): { what: string; next: string } | null {
  const [, what] = sentence.exec(message) ?? [];
  if (what === undefined) return null;
  if (language === 'en')
    return { what: `${what}.`, next: 'An operator can install it under Operator, Models. Or choose another model.' };
  return { what: '模型未安装。', next: '运营方可在“运营”的“模型”页面安装它；也可选择其他模型。' };
}
