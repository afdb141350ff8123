import { TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { IconSearch } from './icons.tsx';

const pauseMs = 250;

/** Undefined: nothing is searched for. */
type SearchFieldProps = {
  label: string;
  value: string | undefined;
  onSearch: (text: string | undefined) => void;
};

/** Searches as one types, when one pauses. The shortcut `/` leads here. */
export function SearchField({ label, value = '', onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  /** What was told and has not come back yet, after what came back last: the page may be slower than one types. */
  const told = useRef([value]);
  const tell = useEffectEvent(() => {
    told.current.push(text.trim());
    onSearch(text.trim() || undefined);
  });
  useEffect(() => {
    if (text.trim() === told.current.at(-1)) return;
    const timer = setTimeout(tell, pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  // Somebody else has changed it, the back button for example.
  useEffect(() => {
    const at = told.current.indexOf(value);
    told.current = at < 0 ? [value] : told.current.slice(at);
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
