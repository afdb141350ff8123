import { Badge } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { ExampleView, examplesTexts, type TextLocation } from '../examples/index.ts';
import styles from './comparison.module.css';
import type { Change } from './versions-queries.ts';
import { versionsTexts } from './versions-texts.ts';
import { wordDifferences } from './word-differences.ts';

const colors = { added: 'pine', removed: 'rust', changed: 'amber' } as const;

export function ChangeView({ change: { change, before, after } }: { change: Change }) {
  const t = useTexts(versionsTexts);
  const { splits } = useTexts(examplesTexts);
  const isMoved = before && after && before.split !== after.split;
  return (
    <article className={styles.change} data-change={change}>
      <p className={styles.kind}>
        <Badge color={colors[change]}>{t.kind1[change]}</Badge>
        {isMoved && t.splitChanged(splits[before.split], splits[after.split])}
      </p>
      {before && after ? (
        <div className={styles.sides}>
          <Side name={t.before} side={before} other={after} tone="before" />
          <Side name={t.after} side={after} other={before} tone="after" />
        </div>
      ) : (
        (after ?? before) && (
          <ExampleView text={(after ?? before)?.text ?? null} embedding={(after ?? before)?.embedding ?? null} />
        )
      )}
    </article>
  );
}

type SideValue = NonNullable<Change['before']>;
type SideProps = { name: string; side: SideValue; other: SideValue; tone: 'before' | 'after' };

function Side({ name, side, other, tone }: SideProps) {
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <ExampleView
        text={side.text}
        embedding={side.embedding}
        show={(text, location) => <DifferingWords text={text} other={textAt(other, location)} tone={tone} />}
      />
    </section>
  );
}

/** The text at the same location on the other side. */
function textAt({ text, embedding }: SideValue, { part, nth }: TextLocation): string {
  if (part === 'query') return embedding?.query ?? '';
  if (part === 'positives' || part === 'negatives') return embedding?.[part][nth]?.text ?? '';
  return text?.messages.filter(({ role }) => role === part)[nth]?.content ?? '';
}

/** Highlights the words that the other text does not have. */
function DifferingWords({ text, other, tone }: { text: string; other: string; tone: 'before' | 'after' }) {
  const Mark = tone === 'before' ? 'del' : 'ins';
  return (
    <span className={styles.marked}>
      {wordDifferences(text, other).map(({ text, isShared }, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no name and stay in their places
        isShared ? <span key={index}>{text}</span> : <Mark key={index}>{text}</Mark>,
      )}
    </span>
  );
}
