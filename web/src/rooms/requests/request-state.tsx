import { useTexts } from '../../i18n/catalogue.ts';
import { Tag } from '../../ui/tag.tsx';
import styles from './requests.module.css';
import type { RequestRecord } from './requests-queries.ts';
import { requestsTexts } from './requests-texts.ts';

const colors = {
  received: 'gray',
  running: 'ink',
  succeeded: 'pine',
  failed: 'rust',
  canceled: 'gray',
  unknown: 'amber',
} as const;

/** How it ended: its status and, where it failed, the code of the error. */
export function RequestState({ request }: { request: RequestRecord }) {
  const t = useTexts(requestsTexts);
  const { state, http_status: status, error_code: code } = request;
  const name = state === 'received' || state === 'running' ? t.running : t.states[state];
  return (
    <span>
      <Tag color={colors[state]}>{status === null ? name : `${status} ${name}`}</Tag>
      {code && <span className={styles.code}>{code}</span>}
    </span>
  );
}
