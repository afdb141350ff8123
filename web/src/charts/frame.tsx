import type { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import styles from './chart.module.css';

export type ChartSeries = { name: string; color: string };

/** What stands beside the pointer, or where the arrow keys are. */
type Tip = {
  title: string;
  /** In px from the left edge. */
  x: number;
  /** It stands to the left of its place, where there is room. */
  isRight: boolean;
  rows: readonly (ChartSeries & { value: string })[];
};

type FrameProps = {
  /** What the chart says: it is read out in its place. */
  label: string;
  height: number;
  plotRef: ReturnType<typeof useElementSize<HTMLDivElement>>['ref'];
  width: number;
  margin: { left: number; right: number };
  /** Horizontal lines: how far down they are, in px, and what stands beside them. */
  ticks: readonly { y: number; text: string }[];
  /** ChartSeries below the chart where there are several. */
  series: readonly ChartSeries[];
  /** Said in the chart when there is nothing to draw. */
  nothing: string | null;
  tip: Tip | null;
  /** `x` is in px from the left edge; null when the pointer or the focus left. */
  onPoint: (x: number | null) => void;
  onKey: (event: KeyboardEvent) => void;
  /** What is drawn, as parts of an SVG. */
  children: ReactNode;
  /** The numbers, for those who cannot see them. */
  table: ReactNode;
};

/** What all charts have: the plot with its lines, the tip, the legend, and their words for readers. */
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
      {/* Around it: a table itself is never smaller than what is in it, and the page would be as wide and as long. */}
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

/** Where a key leads among `count` places: null is none, undefined says that the key means nothing here. */
export function placeAfter(key: string, shown: number | null, count: number): number | null | undefined {
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
