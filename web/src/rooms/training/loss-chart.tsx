import { Switch } from '@mantine/core';
import { useState } from 'react';
import type { Point } from '../../charts/line-scale.ts';
import { type LineSeries, Lines } from '../../charts/lines.tsx';
import { logTicksBetween } from '../../charts/scale.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { isWide } from './curve-points.ts';
import { trainingTexts } from './training-texts.ts';
import { useLoss } from './use-loss.ts';

type LossChartProps = {
  label: string;
  series: readonly LineSeries[];
  /** The step whose weights are kept. */
  mark?: number | undefined;
};

/** Curves with a choice of the scale. A wide range of values is shown on a logarithmic one, until the reader chooses. */
export function LossChart({ label, series, mark }: LossChartProps) {
  const t = useTexts(trainingTexts);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isLog = chosen ?? isWide(series.flatMap(({ points }) => points));
  return (
    <>
      <Switch
        size="xs"
        mb="xs"
        label={t.logScale}
        aria-label={`${t.logScale}: ${label}`}
        checked={isLog}
        onChange={({ currentTarget }) => setChosen(currentTarget.checked)}
      />
      <Chart label={label} series={isLog ? series.map(logarithmic) : series} height={230} isLog={isLog} mark={mark} />
    </>
  );
}

const logarithmic = (series: LineSeries): LineSeries => ({
  ...series,
  points: series.points.flatMap(([x, value]): Point[] => (value > 0 ? [[x, Math.log10(value)]] : [])),
});

type ChartProps = LossChartProps & {
  height: number;
  /** The values are logarithms. */
  isLog?: boolean;
};

export function Chart({ label, series, height, isLog = false, mark }: ChartProps) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  return (
    <Lines
      label={label}
      xName={t.step}
      series={series}
      format={isLog ? (value) => loss(10 ** value) : loss}
      mark={mark === undefined ? undefined : { x: mark, text: t.selected(format.shortNumber(mark)) }}
      formatX={format.shortNumber}
      nothing={t.noCurves}
      height={height}
      {...(isLog && { ticksOf: logTicksBetween })}
    />
  );
}
