import { ActionIcon, Tooltip } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { type Format, useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AppLink, useIsPage } from '../../ui/app-link.tsx';
import {
  IconAlertCircle,
  IconAlertTriangle,
  IconArchive,
  IconArchiveOff,
  IconCircleCheck,
  IconInfoCircle,
} from '../../ui/icons.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { focusPageTitle } from '../../ui/page-title.tsx';
import { RelativeTime, useNow } from '../../ui/relative-time.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { type Activity, type ActivityFilter, useMoveActivity } from './activity-queries.ts';
import { activityTexts } from './activity-texts.ts';
import styles from './feed.module.css';
import { useActivityText } from './use-activity-text.ts';

const icons = {
  info: IconInfoCircle,
  success: IconCircleCheck,
  warning: IconAlertTriangle,
  error: IconAlertCircle,
} as const;

/** Rows by day, the newest first. */
export function Feed({ rows, filter }: { rows: readonly Activity[]; filter: ActivityFilter }) {
  const dayOf = useDay();
  const days = Map.groupBy(rows, ({ created_at }) => dayOf(created_at));
  return [...days].map(([day, ofDay]) => (
    <section key={day} aria-label={day} className={styles.day}>
      <h2>{day}</h2>
      <ul>
        {ofDay.map((row) => (
          <Row key={row.id} row={row} filter={filter} />
        ))}
      </ul>
    </section>
  ));
}

function useDay(): (at: string) => string {
  const t = useTexts(activityTexts);
  const format = useFormat();
  const now = new Date(useNow());
  const today = format.date(now);
  const yesterday = format.date(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1));
  return (at) => {
    const day = format.date(at);
    if (day === today) return t.today;
    return day === yesterday ? t.yesterday : day;
  };
}

function Row({ row, filter }: { row: Activity; filter: ActivityFilter }) {
  const t = useTexts(activityTexts);
  const text = useActivityText()(row);
  const isPage = useIsPage();
  const limits = limitsSet(row, t, useFormat());
  const Icon = icons[row.severity];
  return (
    <li className={styles.row} data-severity={row.severity}>
      <Icon size={18} aria-hidden={undefined} role="img" aria-label={t.severities[row.severity]} />
      <div className={styles.words}>
        <p>{isPage(row.subject.href) ? <AppLink href={row.subject.href}>{text}</AppLink> : text}</p>
        {limits.length > 0 && (
          <p className={styles.small}>
            {limits.map((limit) => (
              <span key={limit}>{limit}</span>
            ))}
          </p>
        )}
        <p className={styles.small}>
          <Actor actor={row.actor} filter={filter} />
          {row.project && (
            <span>
              {row.project.owner}/{row.project.slug}
            </span>
          )}
          <RelativeTime at={row.created_at} />
        </p>
      </div>
      <Move row={row} text={text} filter={filter} />
    </li>
  );
}

/** The row is removed: the focus goes to the next one. */
function focusNeighbour(button: HTMLElement): void {
  const buttons = [...(button.closest('main')?.querySelectorAll<HTMLElement>('li button') ?? [])];
  const at = buttons.indexOf(button);
  const next = buttons[at + 1] ?? buttons[at - 1];
  if (next) next.focus({ preventScroll: true });
  else focusPageTitle();
}

/** A link to everything that this key or account did. */
function Actor({ actor: { kind, id, label }, filter }: Pick<Activity, 'actor'> & { filter: ActivityFilter }) {
  const t = useTexts(activityTexts);
  if (kind === 'system') return <span>{t.system}</span>;
  const name = kind === 'api_key' ? t.withKey(label) : label;
  if (id === null) return <span>{name}</span>;
  return (
    <TextLink to="/activity" search={{ ...filter, actor_id: id }}>
      {name}
    </TextLink>
  );
}

function Move({ row, text, filter }: { row: Activity; text: string; filter: ActivityFilter }) {
  const t = useTexts(activityTexts);
  const { language } = useLanguage();
  const move = useMoveActivity(filter, (error) => notifyProblem(error, language));
  const label = row.archived ? t.unarchiveOne(text) : t.archiveOne(text);
  return (
    <Tooltip label={row.archived ? t.feed : t.archive}>
      <ActionIcon
        aria-label={label}
        onClick={({ currentTarget }) => {
          focusNeighbour(currentTarget);
          move.mutate(row);
        }}
      >
        {row.archived ? <IconArchiveOff /> : <IconArchive />}
      </ActionIcon>
    </Tooltip>
  );
}

type Texts = (typeof activityTexts)['en'];

/** The limits after a change, which explain why calls are refused. */
function limitsSet({ type, data }: Pick<Activity, 'type' | 'data'>, t: Texts, format: Format): string[] {
  if (type !== 'limits.changed') return [];
  if ('storage_bytes' in data)
    return [typeof data.storage_bytes === 'number' ? t.storage(format.number(data.storage_bytes)) : t.noLimit];
  const { requests_per_minute: perMinute, concurrent_requests: atATime, credits_per_day: perDay } = data;
  const parts = [
    typeof perMinute === 'number' ? t.perMinute(format.number(perMinute)) : '',
    typeof atATime === 'number' ? t.atATime(format.number(atATime)) : '',
    typeof perDay === 'string' ? t.perDay(format.credits(perDay)) : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts : [t.noLimit];
}
