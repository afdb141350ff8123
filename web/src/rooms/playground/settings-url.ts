import { useEffect, useEffectEvent } from 'react';
import type { PlaygroundSearch } from './playground-url.ts';
import type { ChatSettings } from './settings.ts';

const names = [
  ...(['max_tokens', 'temperature', 'top_p', 'top_k', 'seed'] as const),
  ...(['presence_penalty', 'frequency_penalty', 'reasoning_effort'] as const),
];

export const hasSettings = (search: PlaygroundSearch): boolean => names.some((name) => search[name] !== undefined);

/** Settings with those of the URL in their place. */
export function withSearch(settings: ChatSettings, search: PlaygroundSearch): ChatSettings {
  const found = names.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]]));
  const params = { ...settings.params, ...Object.fromEntries(found) };
  return { ...settings, params };
}

/** The settings that differ from the stored ones, for the URL. */
export function searchOf({ params }: ChatSettings, stored: ChatSettings): PlaygroundSearch {
  return Object.fromEntries(
    names.map((name) => [name, params[name] === stored.params[name] ? undefined : (params[name] ?? undefined)]),
  );
}

/** Browsers limit how often a page changes its URL. */
const quietMs = 300;

/** Keeps the settings in the URL up to date. */
export function useSettingsInUrl(search: PlaygroundSearch, onSearch: (search: PlaygroundSearch) => void): void {
  const text = JSON.stringify(search);
  const write = useEffectEvent(() => onSearch(search));
  // biome-ignore lint/correctness/useExhaustiveDependencies: it writes when the text changes
  useEffect(() => {
    const timer = setTimeout(write, quietMs);
    return () => clearTimeout(timer);
  }, [text]);
}
