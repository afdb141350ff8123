import { useQueryClient } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useEffect, useEffectEvent, useRef, useState } from 'react';
import { draftsKey } from './query-client.ts';
import { hasEnded, sessionQuery } from './session.ts';

/**
 * State that survives navigation and signing in again, until it is saved or discarded with the third value. `start`
 * must be the same object as long as nothing was changed.
 */
export function useDraft<Value>(
  name: string,
  start: Value,
): [Value, Dispatch<SetStateAction<Value>>, giveUp: () => void] {
  const { queryClient, keyOf } = useDraftKeys();
  const [value, setValue] = useState(() => queryClient.getQueryData<Value>(keyOf(name)) ?? start);
  const last = useRef(name);
  useEffect(() => {
    const drop = (of: string) => queryClient.removeQueries({ queryKey: keyOf(of), exact: true });
    // The name changed: a new conversation has got its id.
    if (last.current !== name) drop(last.current);
    last.current = name;
    if (value === start) drop(name);
    else queryClient.setQueryData(keyOf(name), value);
  }, [queryClient, keyOf, name, value, start]);
  const giveUp = () => {
    setValue(start);
    queryClient.removeQueries({ queryKey: keyOf(name), exact: true });
  };
  return [value, setValue, giveUp];
}

export function useHasDraft(name: string): boolean {
  const { queryClient, keyOf } = useDraftKeys();
  return queryClient.getQueryData(keyOf(name)) !== undefined;
}

/**
 * Input of a dialog is discarded when it closes, unless the session ended: then it is restored when the dialog is
 * opened after signing in again.
 */
export function useUnsavedInput<Value>(
  name: string,
  value: Value,
  isWritten: boolean,
  restore: (value: Value) => void,
): void {
  const { queryClient, keyOf } = useDraftKeys();
  const begin = useEffectEvent(() => {
    const stored = queryClient.getQueryData<Value>(keyOf(name));
    if (stored === undefined) return;
    queryClient.removeQueries({ queryKey: keyOf(name), exact: true });
    restore(stored);
  });
  const end = useEffectEvent(() => {
    if (isWritten && hasEnded()) queryClient.setQueryData(keyOf(name), value);
  });
  useEffect(() => {
    begin();
    return () => end();
  }, []);
}

/** Writes a draft before the field that shows it is there. */
export function useSetDraft(): (name: string, value: string) => void {
  const { queryClient, keyOf } = useDraftKeys();
  return (name, value) => queryClient.setQueryData(keyOf(name), value);
}

function useDraftKeys() {
  const queryClient = useQueryClient();
  // Of the account that began to write: the session may end before it is saved.
  const [keyOf] = useState(() => {
    const account = queryClient.getQueryData(sessionQuery.queryKey)?.account.id;
    return (name: string) => [...draftsKey, account, name];
  });
  return { queryClient, keyOf };
}
