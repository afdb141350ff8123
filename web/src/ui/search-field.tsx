import { TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { IconSearch } from './icons.tsx';

const pauseMs = 250;

/** Undefined: no search. */
type SearchFieldProps = {
  label: string;
  value: string | undefined;
  onSearch: (text: string | undefined) => void;
};

/** Searches after a pause in typing. The shortcut `/` focuses it. */
export function SearchField({ label, value = '', onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  /** Values that were reported and are not in the URL yet, after the last one that is. */
  const reported = useRef([value]);
  const report = useEffectEvent(() => {
    reported.current.push(text.trim());
    onSearch(text.trim() || undefined);
  });
  useEffect(() => {
    if (text.trim() === reported.current.at(-1)) return;
    const timer = setTimeout(report, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  // Changed elsewhere, for example by the back button.
  useEffect(() => {
    const at = reported.current.indexOf(value);
    reported.current = at < 0 ? [value] : reported.current.slice(at);
    if (at < 0) setText(value);
  }, [value]);
  return (
    <TextInput
      type="search"
      size="xs"
      w={240}
      maw="100%"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={14} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
