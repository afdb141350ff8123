import { isProblem } from '../api/problem.ts';
import { catalogue, useTexts } from '../i18n/catalogue.ts';

export const newPasswordTexts = catalogue(
  {
    hint: (min: string) => `At least ${min} characters, hard to guess. A few unrelated words are fine.`,
    rules: {
      min_length: 'It is too short.',
      max_length: 'It is too long.',
      well_formed: 'It contains an invalid character.',
      common: 'It is a common password.',
      repetitive: 'It repeats or counts up a few characters.',
      personal: 'It is too similar to the name or the address of the account.',
      unchanged: 'It is the current password.',
    },
  },
  {
    hint: (min) => `至少 ${min} 个字符，不易猜测；几个不相关的词即可。`,
    rules: {
      min_length: '密码过短。',
      max_length: '密码过长。',
      well_formed: '密码包含不完整的字符。',
      common: '这是攻击者最先尝试的密码之一。',
      repetitive: '密码只是少数字符的重复或递增。',
      personal: '密码与账户的名称或邮箱过于相近。',
      unchanged: '与当前密码相同。',
    },
  },
);

/** The error of a new password, if the server named one. */
export function useWeakPassword(): (error: unknown) => string | null {
  const texts: Record<string, string> = useTexts(newPasswordTexts).rules;
  return (error) => {
    const rules = isProblem(error) ? error.details?.['rules'] : null;
    if (!Array.isArray(rules)) return null;
    return rules.flatMap((rule) => texts[String(rule)] ?? []).join(' ') || null;
  };
}
