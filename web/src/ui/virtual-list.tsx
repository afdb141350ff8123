import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import styles from './virtual-list.module.css';

type VirtualListProps<Row> = {
  label: string;
  rows: readonly Row[];
  /** Of all pages. */
  total: number;
  idOf: (row: Row) => string;
  render: (row: Row, index: number) => ReactNode;
  /** Estimated height of a row. */
  estimate: number;
  /** A row that stays mounted while it is edited. */
  pinnedId?: string | null;
  /** Scrolls to this row when it changes. */
  revealedId?: string | null;
  /** Called near the end. */
  onNearEnd: () => void;
};

/** Rows before the end at which more are fetched. */
const nearEnd = 30;
/** Marks the element of a row that arrow keys focus. */
const target = '[data-row-target]';

/** A virtual list: only visible rows are rendered. */
export function VirtualList<Row>({ label, rows, total, idOf, render, ...props }: VirtualListProps<Row>) {
  const { estimate, pinnedId = null, revealedId = null, onNearEnd } = props;
  const list = useRef<HTMLUListElement>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const pinned = pinnedId === null ? -1 : rows.findIndex((row) => idOf(row) === pinnedId);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => estimate,
    overscan: 8,
    scrollMargin: useTop(list),
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : idOf(row);
    },
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan);
      const to = Math.min(count - 1, endIndex + overscan);
      const seen = Array.from({ length: to - from + 1 }, (_, index) => from + index);
      const more = [pinned, focused ?? -1].filter(
        (index) => index >= 0 && index < count && (index < from || index > to),
      );
      return [...new Set([...seen, ...more])].sort((one, other) => one - other);
    },
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.findLast(({ index }) => index !== pinned && index !== focused)?.index ?? 0;
  const isNearEnd = last >= rows.length - nearEnd;
  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, onNearEnd]);

  const revealed = revealedId === null ? -1 : rows.findIndex((row) => idOf(row) === revealedId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolled to once, and not whenever the list changes
  useEffect(() => {
    if (revealed > 0) virtualizer.scrollToIndex(revealed, { align: 'auto' });
  }, [revealedId]);

  const onFocus = ({ target: element }: FocusEvent) => setFocused(indexOf(element));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || !(event.target instanceof Element) || !event.target.matches(target)) return;
    const next = (indexOf(event.target) ?? 0) + step;
    if (next < 0 || next >= rows.length) return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>(`[data-index="${next}"] ${target}`)?.focus({ preventScroll: true });
    virtualizer.scrollToIndex(next, { align: 'auto' });
  };
  return (
    <ul
      ref={list}
      className={styles.list}
      aria-label={label}
      style={{ height: virtualizer.getTotalSize() }}
      onFocus={onFocus}
      onBlur={() => setFocused(null)}
      onKeyDown={onKeyDown}
    >
      {items.map(({ key, index, start }) => {
        const row = rows[index];
        return row === undefined ? null : (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            aria-setsize={total}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
          >
            {render(row, index)}
          </li>
        );
      })}
    </ul>
  );
}

function indexOf(element: Element): number | null {
  const index = element.closest<HTMLElement>('[data-index]')?.dataset['index'];
  return index === undefined ? null : Number(index);
}

/** The offset of the list on the page, which may change. */
function useTop(list: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return top;
}
