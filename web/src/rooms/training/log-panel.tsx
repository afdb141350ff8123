import { Badge, Checkbox, NativeSelect } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { Panel } from '../../ui/panel.tsx';
import { jobStateTexts } from './job-state-texts.ts';
import styles from './log.module.css';
import { chineseLogText } from './log-texts.ts';
import { metricTexts } from './metric-texts.ts';
import type { LogLine } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import type { StreamState } from './use-job-stream.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
const stateColors = { opening: 'amber', following: 'pine', ended: 'gray', lost: 'rust' } as const;

/** A live log that scrolls to its end until somebody scrolls up. */
export function LogPanel({ lines, state }: { lines: readonly LogLine[]; state: StreamState }) {
  const t = useTexts(trainingTexts);
  const { interrupted } = useTexts(jobStateTexts);
  const [level, setLevel] = useState<LogLine['level']>('info');
  const [follows, setFollows] = useState(true);
  const box = useRef<HTMLOListElement>(null);
  const shown = lines.filter((line) => levels.indexOf(line.level) >= levels.indexOf(level));
  const last = shown.at(-1)?.seq;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line moves the end
  useEffect(() => {
    if (follows && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follows, last]);
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    setFollows(scrollHeight - scrollTop - clientHeight < 24);
  };
  return (
    <Panel
      title={t.logs}
      aside={
        <div className={styles.tools}>
          <Badge color={stateColors[state]}>{state === 'lost' ? interrupted : t.streamStates[state]}</Badge>
          <Checkbox
            size="xs"
            label={t.follow}
            checked={follows}
            onChange={(event) => setFollows(event.currentTarget.checked)}
          />
          <NativeSelect
            size="xs"
            aria-label={t.level}
            value={level}
            data={levels.map((value) => ({ value, label: t.levels[value] }))}
            onChange={({ currentTarget: { value } }) => setLevel(levels.find((each) => each === value) ?? 'info')}
          />
        </div>
      }
    >
      {state === 'lost' && <p className={styles.lost}>{t.streamStates.lost}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard */}
      <ol ref={box} className={styles.log} tabIndex={0} aria-label={t.logs} onScroll={onScroll}>
        {shown.length === 0 && <li className={styles.none}>{t.noLogs}</li>}
        {shown.map((line) => (
          <Line key={line.seq} line={line} />
        ))}
      </ol>
    </Panel>
  );
}

function Line({ line: { at, level, message } }: { line: LogLine }) {
  const format = useFormat();
  const { language } = useLanguage();
  return (
    <li data-level={level}>
      <time dateTime={at} title={format.dateTime(at)}>
        {at.slice(11, 19)}
      </time>
      <span>{language === 'zh' ? chineseLogText(message, metricTexts.zh.names) : message}</span>
    </li>
  );
}
