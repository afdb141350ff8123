import { TextInput } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { IconSearch } from './icons.tsx';
import styles from './search-list.module.css';

export type SearchItem = { id: string; text: string; detail?: string | undefined };
export type SearchGroup<Item extends SearchItem> = { name: string; items: readonly Item[] };

type SearchListProps<Item extends SearchItem> = {
  label: string;
  query: string;
  onQuery: (text: string) => void;
  /** Empty ones are left out. */
  groups: readonly SearchGroup<Item>[];
  onPick: (item: Item) => void;
  onClose: () => void;
  /** How many were found, or that the search goes on: read out. */
  state: string;
  children?: ReactNode;
};

/** A search field above a list of what was found. The arrow keys choose, Enter picks. */
export function SearchList<Item extends SearchItem>({
  label,
  query,
  onQuery,
  groups,
  onPick,
  onClose,
  state,
  children,
}: SearchListProps<Item>) {
  const id = useId();
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = groups.filter(({ items }) => items.length > 0);
  const items = shown.flatMap((group) => group.items);
  // The first one, also after the list has changed.
  const at = Math.max(
    0,
    items.findIndex((item) => item.id === chosen),
  );
  const active = items[at];
  const optionId = (item: SearchItem) => `${id}-${item.id}`;
  const activeId = active && optionId(active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen(items.at((at + step) % items.length)?.id ?? null);
    else if (event.key === 'Enter' && active) onPick(active);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <TextInput
        type="search"
        role="combobox"
        aria-label={label}
        placeholder={label}
        aria-autocomplete="list"
        aria-expanded={items.length > 0}
        aria-controls={items.length > 0 ? id : undefined}
        aria-activedescendant={activeId}
        autoComplete="off"
        // Escape closes this list only.
        data-mantine-stop-propagation
        data-autofocus
        leftSection={<IconSearch size={16} />}
        value={query}
        onChange={(event) => {
          setChosen(null);
          onQuery(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      {items.length > 0 && (
        <div role="listbox" id={id} aria-label={label} className={styles.list}>
          {shown.map(({ name, items: some }) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options
            <div key={name} role="group" aria-label={name}>
              <div className={styles.group} aria-hidden="true">
                {name}
              </div>
              {some.map((item) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
                // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
                <div
                  key={item.id}
                  id={optionId(item)}
                  role="option"
                  aria-selected={item === active}
                  className={styles.option}
                  onMouseMove={() => setChosen(item.id)}
                  onClick={() => onPick(item)}
                >
                  <span>{item.text}</span> {item.detail && <small>{item.detail}</small>}
                </div>
              ))}
            </div>
          ))}
        </div>
      )}
      <p aria-live="polite" className={items.length > 0 ? 'visually-hidden' : styles.state}>
        {state}
      </p>
      {children}
    </>
  );
}
