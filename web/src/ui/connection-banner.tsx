import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { checkConnection, isConnectionLost, subscribeToConnection } from '../api/connection.ts';
import { sessionQuery } from '../api/session.ts';
import { catalogue, useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import styles from './connection-banner.module.css';
import { IconAlertTriangle } from './icons.tsx';

const bannerTexts = catalogue(
  { lost: 'The server cannot be reached. Changes are not saved until the connection is back.' },
  { lost: '无法连接服务器。连接恢复之前，更改不会被保存。' },
);

/** Shown while requests get no answer; it goes away by itself. */
export function ConnectionBanner() {
  const t = useTexts(bannerTexts);
  const { retry } = useTexts(sharedTexts);
  const isLost = useSyncExternalStore(subscribeToConnection, isConnectionLost);
  useRecovery(isLost);
  useEffect(() => {
    // A server on this computer answers without a network, so the browser's word is checked.
    for (const event of ['offline', 'online']) addEventListener(event, checkConnection);
    return () => {
      for (const event of ['offline', 'online']) removeEventListener(event, checkConnection);
    };
  }, []);
  if (!isLost) return null;
  return (
    <div role="alert" className={styles.banner}>
      <IconAlertTriangle />
      <span>{t.lost}</span>
      <Button variant="default" size="compact-sm" onClick={checkConnection}>
        {retry}
      </Button>
    </div>
  );
}

/** Reads again what could not be read meanwhile. The session is on every page, and parts that failed follow it. */
function useRecovery(isLost: boolean): void {
  const queryClient = useQueryClient();
  const wasLost = useRef(false);
  useEffect(() => {
    if (wasLost.current && !isLost) {
      void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
      void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey, exact: true });
    }
    wasLost.current = isLost;
  }, [isLost, queryClient]);
}
