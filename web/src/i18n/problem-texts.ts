import { isProblem, type Problem } from '../api/problem.ts';
import { inactiveText } from './inactive-text.ts';
import { type Language, useLanguage } from './language.tsx';
import { missingModelText } from './missing-model-text.ts';
import { overflowText } from './overflow-text.ts';

/** What failed, and what to do about it. */
type ProblemText = { what: string; next: string };

type Row = { zh: string; next?: Record<Language, string> };

const askOwner = { en: 'Ask the owner.', zh: '请联系所有者。' };
const checkAddress = { en: 'Check the address, or ask its owner to share it.', zh: '请检查地址，或请所有者共享。' };
/** For every other code. */
const askOperator = {
  en: 'Try again. If it fails again, give the operator the request id.',
  zh: '请重试；若仍失败，请将请求 ID 告知运营方。',
};
const later = { en: 'Try again later.', zh: '请稍后重试。' };

/** By code of `docs/errors.md`. In English the message of the server is shown, which is more specific. */
const rows: Record<string, Row> = {
  offline: {
    zh: '无法连接服务器。',
    next: {
      en: 'Check that it runs and that you are connected, then try again.',
      zh: '请确认服务正在运行且网络正常，然后重试。',
    },
  },
  missing_file: { zh: '应用的一部分无法加载。', next: { en: 'Reload the page.', zh: '请重新加载页面。' } },
  invalid_request: { zh: '请求无效。', next: { en: 'Change the input and try again.', zh: '请修改输入后重试。' } },
  invalid_cursor: { zh: '列表已变化。', next: { en: 'Reload the page.', zh: '请重新加载页面。' } },
  invalid_credentials: { zh: '登录已失效。', next: { en: 'Sign in again.', zh: '请重新登录。' } },
  insufficient_credits: {
    zh: '账户额度不足。',
    next: { en: 'Ask the operator for credits.', zh: '请向运营方申请额度。' },
  },
  owner_required: { zh: '只有项目所有者可以执行此操作。', next: askOwner },
  session_required: { zh: '此操作需要登录会话。', next: { en: 'Sign in again.', zh: '请重新登录。' } },
  invalid_password: { zh: '当前密码不正确。', next: { en: 'Enter it again.', zh: '请重新输入。' } },
  account_suspended: { zh: '此账户已被停用。', next: { en: 'Ask the operator about it.', zh: '请联系运营方。' } },
  forbidden: { zh: '不允许执行此操作。', next: askOwner },
  not_found: { zh: '内容不存在，或你无权查看。', next: checkAddress },
  project_not_found: { zh: '项目不存在，或你无权使用。', next: checkAddress },
  model_not_found: { zh: '模型不存在，或你无权使用。', next: { en: 'Choose another model.', zh: '请选择其他模型。' } },
  artifact_not_found: { zh: '文件不存在或已被删除。', next: checkAddress },
  state_conflict: {
    zh: '当前状态下无法执行此操作。',
    next: { en: 'Reload the page to see the current state.', zh: '请重新加载页面查看当前状态。' },
  },
  slug_taken: { zh: '此 URL 名称已被占用。', next: { en: 'Choose another one.', zh: '请换一个。' } },
  email_taken: { zh: '此邮箱已有账户。', next: { en: 'Sign in instead.', zh: '请直接登录。' } },
  alias_taken: { zh: '此别名已被占用。', next: { en: 'Choose another one.', zh: '请换一个。' } },
  kind_mismatch: {
    zh: '与项目类型不符。',
    next: { en: 'Use a project of the right kind.', zh: '请使用类型相符的项目。' },
  },
  in_use: {
    zh: '仍有任务在使用它。',
    next: { en: 'Wait until it is done, or stop it first.', zh: '请等待其完成，或先将其停止。' },
  },
  idempotency_in_progress: { zh: '同一请求仍在处理中。', next: later },
  payload_too_large: { zh: '内容过大。', next: { en: 'Send less at once.', zh: '请减少一次发送的内容。' } },
  ambiguous_transport: {
    zh: '请求的结果未知，可能已被执行。',
    next: { en: 'Check whether it was done before you send it again.', zh: '再次发送前请先确认是否已执行。' },
  },
  rate_limited: { zh: '请求过于频繁。', next: later },
  internal_error: { zh: '服务器内部出错。' },
  generation_failed: { zh: '模型未能生成回答。' },
  model_warming: { zh: '模型正在启动。', next: later },
  capacity_unavailable: { zh: '模型暂时没有空闲容量。', next: later },
  service_unavailable: { zh: '服务暂时不可用。', next: later },
  unexpected_answer: { zh: '服务器返回了意外的响应。', next: later },
};

export function textOfProblem(error: unknown, language: Language): ProblemText {
  if (!isProblem(error))
    return language === 'zh'
      ? { what: '页面出错了。', next: '请重新加载页面。' }
      : { what: 'Something went wrong on this page.', next: 'Reload the page.' };
  const told =
    overflowText(error.message, language) ??
    inactiveText(error.message, language) ??
    missingModelText(error.message, language);
  if (told) return told;
  const row = rows[error.code];
  const what = language === 'zh' && row ? withField(row.zh, error) : error.message;
  return { what, next: waitText(error, language) ?? (row?.next ?? askOperator)[language] };
}

/** The server's message names the field. */
function withField(text: string, { param, message }: Problem): string {
  return param === null ? text : `${text}（${message}）`;
}

function waitText({ code, retryAfterS }: Problem, language: Language): string | null {
  if (code !== 'rate_limited' || retryAfterS === null) return null;
  const minutes = Math.ceil(retryAfterS / 60);
  if (language === 'zh') return minutes > 1 ? `请在 ${minutes} 分钟后重试。` : `请在 ${retryAfterS} 秒后重试。`;
  return minutes > 1 ? `Try again in ${minutes} minutes.` : `Try again in ${retryAfterS} seconds.`;
}

export function useProblemText(): (error: unknown) => ProblemText {
  const { language } = useLanguage();
  return (error) => textOfProblem(error, language);
}
