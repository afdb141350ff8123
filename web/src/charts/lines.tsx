import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import styles from './chart.module.css';
import { ChartFrame, type ChartSeries, indexAfter } from './frame.tsx';
import { nearest, type Point, pathOf, scaleOf } from './line-scale.ts';
import { ticksBetween } from './scale.ts';

export type LineSeries = ChartSeries & {
  points: readonly Point[];
  /** Whether each point is drawn. */
  isSparse?: boolean;
};

type LinesProps = {
  /** Description for screen readers. */
  label: string;
  /** Label of the horizontal axis. */
  xName: string;
  series: readonly LineSeries[];
  format: (value: number) => string;
  formatX: (value: number) => string;
  /** Shown while there are no points. */
  nothing: string;
  height?: number;
  /** The first and the last step, where not every one has a point. */
  range?: readonly [number, number];
  /** The value axis begins at 0. */
  fromZero?: boolean;
  /** Ticks of the value axis; by default round numbers. */
  ticksOf?: typeof ticksBetween;
  /** A step that stands out. */
  mark?: { x: number; text: string } | undefined;
};

const margin = { top: 10, right: 18, bottom: 24, left: 48 };
const rowsForReaders = 20;

/** A line chart over steps. Arrow keys move along the line; a hidden table has some of the numbers. */
export function Lines({
  label,
  xName,
  series,
  format,
  formatX,
  nothing,
  height = 210,
  range,
  fromZero = false,
  ticksOf,
  mark,
}: LinesProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [shownX, setShownX] = useState<number | null>(null);
  const drawn = series.filter(({ points }) => points.length > 0);
  const scale = scaleOf(drawn, { width, height, margin }, { range, fromZero, ...(ticksOf && { ticksOf }) });
  const steps = [...new Set(drawn.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const xTicks = ticksBetween(scale.minX, scale.maxX, Math.max(2, Math.floor(width / 90))).filter(
    (tick) => drawn.length > 0 && Number.isInteger(tick) && tick >= scale.minX && tick <= scale.maxX,
  );

  const onPoint = (x: number | null) => setShownX(x === null ? null : nearest(steps, scale.xAt(x)));
  const onKey = (event: KeyboardEvent) => {
    const index = indexAfter(event.key, shownX === null ? null : steps.indexOf(shownX), steps.length);
    if (index === undefined) return;
    event.preventDefault();
    setShownX(index === null ? null : (steps[index] ?? null));
  };
  const rows = drawn.flatMap(({ name, color, points }) => {
    const point = points.find(([x]) => x === shownX);
    return point ? [{ name, color, value: format(point[1]) }] : [];
  });
  const isShown = shownX !== null && rows.length > 0;

  return (
    <ChartFrame
      label={label}
      height={height}
      width={width}
      margin={margin}
      series={series}
      onPoint={onPoint}
      onKey={onKey}
      plotRef={ref}
      // Values of an empty chart mean nothing.
      ticks={drawn.length === 0 ? [] : scale.ticks.map((tick) => ({ y: scale.y(tick), text: format(tick) }))}
      nothing={drawn.length === 0 ? nothing : null}
      tip={
        isShown
          ? { title: `${xName} ${formatX(shownX)}`, x: scale.x(shownX), isRight: scale.x(shownX) > width / 2, rows }
          : null
      }
      table={<HiddenTable label={label} xName={xName} formatX={formatX} format={format} series={drawn} />}
    >
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
      {mark && drawn.length > 0 && (
        <g>
          <line
            className={styles.mark}
            x1={scale.x(mark.x)}
            x2={scale.x(mark.x)}
            y1={margin.top}
            y2={height - margin.bottom}
          />
          <text
            className={styles.tick}
            x={scale.x(mark.x)}
            y={margin.top + 10}
            dx={scale.x(mark.x) > width / 2 ? -6 : 6}
            textAnchor={scale.x(mark.x) > width / 2 ? 'end' : 'start'}
          >
            {mark.text}
          </text>
        </g>
      )}
      {shownX !== null && (
        <line
          className={styles.cursor}
          x1={scale.x(shownX)}
          x2={scale.x(shownX)}
          y1={margin.top}
          y2={height - margin.bottom}
        />
      )}
    </ChartFrame>
  );
}

type HiddenTableProps = Pick<LinesProps, 'label' | 'xName' | 'formatX' | 'format' | 'series'>;

/** Not every point, so that the table stays readable. */
function HiddenTable({ label, xName, formatX, format, series }: HiddenTableProps) {
  return (
    <table>
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
