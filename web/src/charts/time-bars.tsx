import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import styles from './chart.module.css';
import { ChartFrame, type ChartSeries, indexAfter } from './frame.tsx';
import { labelStride, ticksUpTo } from './scale.ts';

export type BarPoint = {
  key: string;
  /** Under the bar. */
  label: string;
  /** The same in full. */
  title: string;
  /** One for each series, from the bottom up. */
  values: readonly number[];
};

type TimeBarsProps = {
  /** Description for screen readers. */
  label: string;
  series: readonly ChartSeries[];
  points: readonly BarPoint[];
  format: (value: number) => string;
  /** Shown when every value is zero. */
  nothing: string;
  /** Whole numbers: no ticks between them. */
  isWhole?: boolean;
  height?: number;
};

const edges = { top: 8, right: 4, bottom: 22, left: 44 };
/** Greatest width of a digit of a tick label, in px. */
const digitWidth = 6.5;
const labelWidth = 52;
const gap = 0.3;

/** Stacked bars over time. Arrow keys move from bar to bar; a hidden table has the numbers. */
export function TimeBars({ label, series, points, format, nothing, isWhole = false, height = 190 }: TimeBarsProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [shown, setShown] = useState<number | null>(null);
  const most = Math.max(...points.map(({ values }) => sum(values)), 0);
  const ticks = ticksUpTo(most, { isWhole });
  const longest = Math.max(...ticks.map((tick) => format(tick).length));
  const left = Math.max(edges.left, 12 + longest * digitWidth);
  // The label of the last bar is wider than the bar.
  const overhang = (labelWidth - Math.max(0, width - left) / Math.max(1, points.length)) / 2;
  const margin = { ...edges, left, right: Math.max(edges.right, overhang) };
  const inner = { width: Math.max(0, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
  const step = inner.width / Math.max(1, points.length);
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => margin.top + inner.height * (1 - value / top);
  const point = shown === null ? undefined : points[shown];

  const onPoint = (x: number | null) => {
    const index = x === null ? -1 : Math.floor((x - margin.left) / step);
    setShown(index >= 0 && index < points.length ? index : null);
  };
  const onKey = (event: KeyboardEvent) => {
    const next = indexAfter(event.key, shown, points.length);
    if (next === undefined) return;
    event.preventDefault();
    setShown(next);
  };

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
      ticks={ticks.map((tick) => ({ y: y(tick), text: format(tick) }))}
      nothing={most === 0 ? nothing : null}
      tip={
        point && shown !== null
          ? {
              title: point.title,
              x: margin.left + (shown + 0.5) * step,
              isRight: shown > points.length / 2,
              rows: series.map((each, index) => ({ ...each, value: format(point.values[index] ?? 0) })),
            }
          : null
      }
      table={<HiddenTable label={label} series={series} points={points} format={format} />}
    >
      {points.map((each, index) => (
        <Bar
          key={each.key}
          series={series}
          y={y}
          values={each.values}
          x={margin.left + (index + gap / 2) * step}
          width={step * (1 - gap)}
          isDim={shown !== null && shown !== index}
        />
      ))}
      <Labels points={points} step={step} width={inner.width} left={margin.left} y={height - 6} />
    </ChartFrame>
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

type BarProps = {
  series: readonly ChartSeries[];
  values: readonly number[];
  x: number;
  width: number;
  y: (value: number) => number;
  isDim: boolean;
};

function Bar({ series, values, x, width, y, isDim }: BarProps) {
  return (
    <g opacity={isDim ? 0.4 : 1}>
      {series.map(({ name, color }, index) => {
        const from = sum(values.slice(0, index));
        const value = values[index] ?? 0;
        if (value <= 0 || width <= 0) return null;
        // Values above zero stay visible.
        const height = Math.max(1.5, y(from) - y(from + value));
        return (
          <rect
            key={name}
            fill={color}
            x={x}
            y={y(from) - height}
            width={width}
            height={height}
            rx={Math.min(2.5, width / 4)}
          />
        );
      })}
    </g>
  );
}

type LabelsProps = { points: readonly BarPoint[]; step: number; width: number; left: number; y: number };

function Labels({ points, step, width, left, y }: LabelsProps) {
  const stride = labelStride(points.length, width, labelWidth);
  return points.map(({ key, label }, index) =>
    // From the end, so that the last bar always has a label.
    (points.length - 1 - index) % stride === 0 ? (
      <text key={key} className={styles.tick} x={left + (index + 0.5) * step} y={y} textAnchor="middle">
        {label}
      </text>
    ) : null,
  );
}

function HiddenTable({ label, series, points, format }: Omit<TimeBarsProps, 'nothing' | 'isWhole'>) {
  return (
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <td />
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.map(({ key, title, values }) => (
          <tr key={key}>
            <th scope="row">{title}</th>
            {series.map(({ name }, index) => (
              <td key={name}>{format(values[index] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
