import { useCallback, useRef, useState } from 'react';
import type { Chosen } from './bulk-changes.ts';
import type { ExamplesSearch } from './examples-queries.ts';
import { nothingSelected, type Selection, toggled } from './selection.ts';

type SelectionState = Selection & {
  /** All that match, whether they are loaded or not. */
  isAll: boolean;
  /** Another filter shows other rows, of which none is chosen. */
  filter: ExamplesSearch | null;
};

const initial: SelectionState = { ...nothingSelected, isAll: false, filter: null };

/** Which examples of a list are chosen; `order`: the loaded ones. */
export function useSelection(filter: ExamplesSearch, order: readonly string[]) {
  const [state, setState] = useState(initial);
  const { ids, isAll } = state.filter === filter ? state : initial;
  const latest = useRef({ filter, order });
  latest.current = { filter, order };
  // Stable, so that unchanged rows do not render again.
  const toggle = useCallback(
    (id: string, isRange: boolean) =>
      setState((now) => {
        const { filter: shown, order: loaded } = latest.current;
        const before = now.filter === shown ? now : initial;
        const chosen = before.isAll ? { ids: new Set(loaded), anchor: null } : before;
        return { ...toggled(chosen, id, { isRange, order: loaded }), isAll: false, filter: shown };
      }),
    [],
  );
  const chosen: Chosen | null = isAll ? { filter } : ids.size > 0 ? { ids: order.filter((id) => ids.has(id)) } : null;
  return {
    chosen: chosen && 'ids' in chosen && chosen.ids.length === 0 ? null : chosen,
    isAll,
    has: (id: string) => isAll || ids.has(id),
    toggle,
    setAll: (all: boolean) => setState({ ...initial, isAll: all, filter }),
    clear: () => setState(initial),
  };
}
