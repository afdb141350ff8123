import { Button } from '@mantine/core';
import { useState } from 'react';
import { TimeBars } from '../../charts/time-bars.tsx';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { checkTexts } from './check-texts.ts';
import styles from './imports.module.css';
import type { ImportPath, Profile } from './imports-queries.ts';
import { ReadAgain } from './read-again.tsx';
import { SheetSelect } from './sheet-select.tsx';

type ProfilePanelProps = { at: ImportPath; profile: Profile; onReadAgain: () => void };

export function ProfilePanel({ at, profile, onReadAgain }: ProfilePanelProps) {
  const t = useTexts(checkTexts);
  const [isConfirming, setConfirming] = useState(false);
  // What is not text has no encoding and no delimiter.
  const again = profile.encoding !== null && (
    <Button size="xs" variant="default" onClick={() => setConfirming(true)}>
      {t.readAgain}
    </Button>
  );
  return (
    <Panel title={t.profile} aside={again}>
      <SheetSelect at={at} profile={profile} onDone={onReadAgain} />
      <Figures profile={profile} />
      <Lengths profile={profile} />
      <Columns profile={profile} />
      <ReadAgain
        at={at}
        profile={profile}
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        onDone={onReadAgain}
      />
    </Panel>
  );
}

function Figures({ profile }: { profile: Profile }) {
  const t = useTexts(checkTexts);
  const format = useFormat();
  const { rows, valid, invalid, duplicates, issues, format: kind, gzip, encoding, detected_shape: shape } = profile;
  const tooLong = issues.find(({ code }) => code === 'over_token_limit')?.count ?? 0;
  const figures = [
    { name: t.rows, value: format.number(rows) },
    { name: t.usable, value: format.number(valid) },
    ...(invalid > 0 ? [{ name: t.invalid, value: format.number(invalid), tone: 'bad' }] : []),
    ...(tooLong > 0 ? [{ name: t.tooLong, value: format.number(tooLong), tone: 'warn' }] : []),
    ...(duplicates > 0 ? [{ name: t.duplicates, value: format.number(duplicates), tone: 'warn' }] : []),
    { name: t.shape, value: t.shapes[shape] },
    { name: t.format, value: gzip ? t.packed(nameOf(kind)) : nameOf(kind) },
    ...(encoding ? [{ name: t.encoding, value: encoding }] : []),
  ];
  return (
    <dl className={styles.figures}>
      {figures.map(({ name, value, ...rest }) => (
        <div key={name} data-tone={'tone' in rest ? rest.tone : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const nameOf = (format: Profile['format']) => (format === 'xlsx' ? 'Excel' : format.toUpperCase());

function Lengths({ profile: { valid, token_stats: stats, token_histogram: bins } }: { profile: Profile }) {
  const t = useTexts(checkTexts);
  const format = useFormat();
  if (bins.length === 0) return stats.max === 0 && valid > 0 ? <p className={styles.note}>{t.lengthsNone}</p> : null;
  const short = (value: number) => format.shortNumber(value);
  return (
    <>
      <h3 className={styles.sub}>{t.lengths}</h3>
      <p className={styles.note}>
        {t.lengthsText(format.number(stats.p50), format.number(stats.p95), format.number(stats.max))}
      </p>
      <TimeBars
        label={t.lengths}
        series={[{ name: t.rowsSeries, color: 'var(--chart-1)' }]}
        points={bins.map(({ from, to, rows }) => ({
          key: String(from),
          label: short(from),
          title: from === to ? t.oneBin(short(from)) : t.bin(short(from), short(to)),
          values: [rows],
        }))}
        format={short}
        isWhole
        nothing={t.lengthsNone}
        height={150}
      />
    </>
  );
}

function Columns({ profile: { columns } }: { profile: Profile }) {
  const t = useTexts(checkTexts);
  const format = useFormat();
  return (
    <>
      <h3 className={styles.sub}>{t.columns}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={t.columns}>
        <table className={styles.columns}>
          <thead>
            <tr>
              <th scope="col">{t.column}</th>
              <th scope="col">{t.type}</th>
              <th scope="col">{t.emptyCells}</th>
              <th scope="col">{t.samples}</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, type, null_count: empty, samples }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{type}</td>
                <td>{format.number(empty)}</td>
                <td>
                  <span className={styles.sample}>{samples[0]?.slice(0, 200)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
