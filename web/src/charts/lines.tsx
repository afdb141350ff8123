import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { nearest, type Point, pathOf, scaleOf } from './line-scale.ts';
import styles from './lines.module.css';
import { ticksBetween } from './scale.ts';

export type LineSeries = {
  name: string;
  color: string;
  points: readonly Point[];
  /** Few and far between: each is marked. */
  isSparse?: boolean;
};

export type LinesProps = {
  /** What the chart says: it is read out in its place. */
  label: string;
  /** What the horizontal axis counts. */
  xName: string;
  series: readonly LineSeries[];
  format: (value: number) => string;
  formatX: (value: number) => string;
  /** Said in the chart while there are no points. */
  nothing: string;
  height?: number;
};

const margin = { top: 10, right: 10, bottom: 24, left: 48 };
const rowsForReaders = 20;

/** Curves over steps. Arrow keys go along the curve; some of the numbers also stand in a hidden table. */
export function Lines({ label, xName, series, format, formatX, nothing, height = 210 }: LinesProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [shownX, setShownX] = useState<number | null>(null);
  const id = useId();
  const drawn = series.filter(({ points }) => points.length > 0);
  const scale = scaleOf(drawn, { width, height, margin });
  const steps = [...new Set(drawn.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const xTicks = ticksBetween(scale.minX, scale.maxX, Math.max(2, Math.floor(width / 90))).filter(
    (tick) => drawn.length > 0 && Number.isInteger(tick) && tick >= scale.minX && tick <= scale.maxX,
  );

  const onPointer = ({ nativeEvent }: PointerEvent) => setShownX(nearest(steps, scale.xAt(nativeEvent.offsetX)));
  const onKey = (event: KeyboardEvent) => {
    const next = stepFor(event.key, steps, shownX);
    if (next === undefined) return;
    event.preventDefault();
    setShownX(next);
  };
  const shown =
    shownX === null
      ? []
      : drawn.flatMap(({ name, color, points }) => {
          const point = points.find(([x]) => x === shownX);
          return point ? [{ name, color, value: point[1] }] : [];
        });
  const sentence = shown.map(({ name, value }) => `${name} ${format(value)}`).join(', ');

  return (
    <figure className={styles.chart} aria-labelledby={id}>
      <figcaption id={id} className="visually-hidden">
        {label}
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a picture that one can walk through is no fieldset */}
      <div
        ref={ref}
        className={styles.plot}
        style={{ height }}
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go along the curve
        tabIndex={0}
        onKeyDown={onKey}
        onBlur={() => setShownX(null)}
        onPointerMove={onPointer}
        onPointerLeave={() => setShownX(null)}
      >
        <svg width={width} height={height} aria-hidden="true">
          {scale.ticks.map((tick) => (
            <g key={tick}>
              <line
                className={styles.grid}
                x1={margin.left}
                x2={Math.max(margin.left, width - margin.right)}
                y1={scale.y(tick)}
                y2={scale.y(tick)}
              />
              <text className={styles.tick} x={margin.left - 8} y={scale.y(tick)} dy="0.32em" textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {xTicks.map((tick) => (
            <text key={tick} className={styles.tick} x={scale.x(tick)} y={height - 6} textAnchor="middle">
              {formatX(tick)}
            </text>
          ))}
          {drawn.map(({ name, color, points, isSparse }) => (
            <g key={name} stroke={color} fill={color}>
              <path className={styles.line} d={pathOf(points, scale)} />
              {(isSparse || points.length < 3) &&
                points.map(([x, value]) => <circle key={x} cx={scale.x(x)} cy={scale.y(value)} r={3} stroke="none" />)}
            </g>
          ))}
          {shownX !== null && (
            <line
              className={styles.cursor}
              x1={scale.x(shownX)}
              x2={scale.x(shownX)}
              y1={margin.top}
              y2={height - margin.bottom}
            />
          )}
        </svg>
        {drawn.length === 0 && <p className={styles.nothing}>{nothing}</p>}
        {shownX !== null && shown.length > 0 && (
          <div
            className={styles.tip}
            data-right={scale.x(shownX) > width / 2 || undefined}
            style={{ left: scale.x(shownX) }}
            aria-hidden="true"
          >
            <strong>
              {xName} {formatX(shownX)}
            </strong>
            {shown.map(({ name, color, value }) => (
              <span key={name}>
                <i style={{ background: color }} />
                {name}
                <b>{format(value)}</b>
              </span>
            ))}
          </div>
        )}
      </div>
      <span className="visually-hidden" aria-live="polite">
        {shownX !== null && `${xName} ${formatX(shownX)}: ${sentence}`}
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
      <HiddenTable {...{ label, xName, formatX, format }} series={drawn} />
    </figure>
  );
}

function stepFor(key: string, steps: readonly number[], shown: number | null): number | null | undefined {
  const index = shown === null ? -1 : steps.indexOf(shown);
  switch (key) {
    case 'ArrowRight':
      return steps[Math.min(steps.length - 1, index + 1)] ?? null;
    case 'ArrowLeft':
      return (index < 0 ? steps.at(-1) : steps[Math.max(0, index - 1)]) ?? null;
    case 'Home':
      return steps[0] ?? null;
    case 'End':
      return steps.at(-1) ?? null;
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}

type HiddenTableProps = Pick<LinesProps, 'label' | 'xName' | 'formatX' | 'format' | 'series'>;

/** Not every point: a reader wants the course of it. */
function HiddenTable({ label, xName, formatX, format, series }: HiddenTableProps) {
  return (
    <table className="visually-hidden">
      <caption>{label}</caption>
      <tbody>
        {series.flatMap(({ name, points }) => {
          const stride = Math.ceil(points.length / rowsForReaders);
          return points
            .filter((_, index) => index % stride === 0 || index === points.length - 1)
            .map(([x, value]) => (
              <tr key={`${name} ${x}`}>
                <th scope="row">
                  {name}, {xName} {formatX(x)}
                </th>
                <td>{format(value)}</td>
              </tr>
            ));
        })}
      </tbody>
    </table>
  );
}
