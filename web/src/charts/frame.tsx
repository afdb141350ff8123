import type { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import styles from './chart.module.css';

export type ChartSeries = { name: string; color: string };

/** The tooltip, at the pointer or at the position of the arrow keys. */
type Tip = {
  title: string;
  /** In px from the left edge. */
  x: number;
  /** Left of its position, where there is room. */
  isRight: boolean;
  rows: readonly (ChartSeries & { value: string })[];
};

type FrameProps = {
  /** Description for screen readers. */
  label: string;
  height: number;
  plotRef: ReturnType<typeof useElementSize<HTMLDivElement>>['ref'];
  width: number;
  margin: { left: number; right: number };
  /** Horizontal grid lines: their distance from the top in px, and their labels. */
  ticks: readonly { y: number; text: string }[];
  /** Legend, if there are several. */
  series: readonly ChartSeries[];
  /** Shown when there is nothing to draw. */
  nothing: string | null;
  tip: Tip | null;
  /** `x` is in px from the left edge; null when the pointer or the focus left. */
  onPoint: (x: number | null) => void;
  onKey: (event: KeyboardEvent) => void;
  /** SVG elements. */
  children: ReactNode;
  /** A table of the numbers, for screen readers. */
  table: ReactNode;
};

/** Grid, tooltip, legend and accessibility of all charts. */
export function ChartFrame(props: FrameProps) {
  const { label, height, plotRef, width, margin, ticks, series, nothing, tip, onPoint, onKey, children, table } = props;
  const id = useId();
  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption id={id} className="visually-hidden">
        {label}
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a picture that one can walk through is no fieldset */}
      <div
        ref={plotRef}
        className={styles.plot}
        style={{ height }}
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go through what is drawn
        tabIndex={0}
        onKeyDown={onKey}
        onBlur={() => onPoint(null)}
        onPointerMove={({ nativeEvent }) => onPoint(nativeEvent.offsetX)}
        onPointerLeave={() => onPoint(null)}
      >
        <svg width={width} height={height} aria-hidden="true">
          {ticks.map(({ y, text }) => (
            <g key={y}>
              <line
                className={styles.grid}
                x1={margin.left}
                x2={Math.max(margin.left, width - margin.right)}
                y1={y}
                y2={y}
              />
              <text className={styles.tick} x={margin.left - 8} y={y} dy="0.32em" textAnchor="end">
                {text}
              </text>
            </g>
          ))}
          {children}
        </svg>
        {nothing !== null && <p className={styles.nothing}>{nothing}</p>}
        {tip && <TipBox {...tip} />}
      </div>
      <span className="visually-hidden" aria-live="polite">
        {tip && `${tip.title}: ${tip.rows.map(({ name, value }) => `${name} ${value}`).join(', ')}`}
      </span>
      {series.length > 1 && (
        <ul className={styles.legend}>
          {series.map(({ name, color }) => (
            <li key={name}>
              <i style={{ background: color }} />
              {name}
            </li>
          ))}
        </ul>
      )}
      {/* A wrapper, because a table cannot be made smaller than its content. */}
      <div className="visually-hidden">{table}</div>
    </figure>
  );
}

function TipBox({ title, x, isRight, rows }: Tip) {
  return (
    <div className={styles.tip} data-right={isRight || undefined} style={{ left: x }} aria-hidden="true">
      <strong>{title}</strong>
      {rows.map(({ name, color, value }) => (
        <span key={name}>
          <i style={{ background: color }} />
          {name}
          <b>{value}</b>
        </span>
      ))}
    </div>
  );
}

/** The position among `count` after a key was pressed. Null: none; undefined: the key has no meaning here. */
export function indexAfter(key: string, shown: number | null, count: number): number | null | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowRight':
      return shown === null ? 0 : Math.min(last, shown + 1);
    case 'ArrowLeft':
      return shown === null ? last : Math.max(0, shown - 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}
