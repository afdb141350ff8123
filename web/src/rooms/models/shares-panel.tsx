import { ActionIcon, Button, NativeSelect, Skeleton, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { useProblemText } from '../../i18n/problem-texts.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { IconTrash } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { useList } from '../../ui/use-list.ts';
import type { AccessProps } from './access-panel.tsx';
import styles from './models.module.css';
import { useAddShare, useChangeModel, useRemoveShare } from './models-changes.ts';
import { type ModelPath, type Share, sharesQuery } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';

export function SharesPanel({ path, model, isOpen }: AccessProps) {
  const t = useTexts(modelsTexts);
  return (
    <Panel title={t.shares} text={t.sharesText} flush>
      {isOpen && <ShareForm path={path} model={model} />}
      <AsyncBoundary skeleton={<Skeleton height={52} />}>
        <ShareList path={path} isOpen={isOpen} />
      </AsyncBoundary>
      {model.visibility === 'private' && <p className={styles.note}>{t.sharesIdle}</p>}
    </Panel>
  );
}

function ShareForm({ path, model }: Pick<AccessProps, 'path' | 'model'>) {
  const t = useTexts(modelsTexts);
  const textOf = useProblemText();
  const [slug, setSlug] = useState('');
  const [expiry, setExpiry] = useState<string>('never');
  const [isEmpty, setEmpty] = useState(false);
  const add = useAddShare(path);
  const change = useChangeModel(path);
  const { language } = useLanguage();
  const onShared = ({ account }: Share) => {
    setSlug('');
    const tell = () => notify({ tone: 'good', text: t.shared(account.slug) });
    // Who shares a private model wants it to be called.
    if (model.visibility !== 'private') return tell();
    change.mutate({ visibility: 'shared' }, { onSuccess: tell, onError: (error) => notifyProblem(error, language) });
  };
  const idempotencyKeyOf = useIdempotencyKey();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const account_slug = slug.trim();
    setEmpty(account_slug === '');
    if (account_slug === '' || !isExpiry(expiry)) return;
    const body = { account_slug, expires_at: expiryAt(expiry, Date.now()) };
    add.mutate({ body, idempotencyKey: idempotencyKeyOf(body) }, { onSuccess: onShared });
  };
  const failure = add.error && (isProblem(add.error, 'not_found') ? t.noSuchAccount : textOf(add.error).what);
  return (
    <form className={styles.shareForm} onSubmit={submit} noValidate>
      <TextInput
        label={t.accountName}
        placeholder={t.accountHint}
        maxLength={254}
        autoComplete="off"
        spellCheck={false}
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value)}
        error={isEmpty ? t.accountMissing : failure}
      />
      <NativeSelect
        label={t.expires}
        value={expiry}
        data={expiries.map((value) => ({ value, label: t.expiry[value] }))}
        onChange={(event) => setExpiry(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={add.isPending || change.isPending}>
        {t.addShare}
      </Button>
    </form>
  );
}

function ShareList({ path, isOpen }: { path: ModelPath; isOpen: boolean }) {
  const t = useTexts(modelsTexts);
  const { list, rows: shares } = useList(sharesQuery(path));
  const columns = useColumns(path, isOpen);
  if (shares.length === 0) return <p className={styles.note}>{t.sharesEmpty}</p>;
  return (
    <>
      <DataTable label={t.shares} columns={columns} rows={shares} idOf={({ id }) => id} />
      <LoadMore list={list} shown={shares.length} />
    </>
  );
}

function useColumns(path: ModelPath, isOpen: boolean): Column<Share>[] {
  const t = useTexts(modelsTexts);
  const { never } = useTexts(sharedTexts);
  const format = useFormat();
  const columns: Column<Share>[] = [
    { key: 'account', label: t.accountSlug, isName: true, render: ({ account }) => account.slug },
    {
      key: 'expires',
      label: t.expires,
      render: ({ expires_at }) => (expires_at ? format.dateTime(expires_at) : t.expiry.never),
    },
    { key: 'calls', label: t.calls30d, align: 'end', render: ({ calls_30d }) => format.number(calls_30d) },
    {
      key: 'used',
      label: t.lastUsed,
      align: 'end',
      render: ({ last_used_at }) => (last_used_at ? <RelativeTime at={last_used_at} /> : never),
    },
  ];
  if (!isOpen) return columns;
  const remove: Column<Share> = {
    key: 'actions',
    label: t.actions,
    isLabelHidden: true,
    align: 'end',
    render: (share) => <RemoveShare path={path} share={share} />,
  };
  return [...columns, remove];
}

function RemoveShare({ path, share }: { path: ModelPath; share: Share }) {
  const t = useTexts(modelsTexts);
  const { slug } = share.account;
  const [isConfirming, setConfirming] = useState(false);
  const remove = useRemoveShare(path, () => {
    setConfirming(false);
    notify({ tone: 'good', text: t.unshared(slug) });
  });
  return (
    <>
      <ActionIcon aria-label={t.removeShare(slug)} onClick={() => setConfirming(true)}>
        <IconTrash size={16} />
      </ActionIcon>
      <Confirm
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={t.removeShareTitle(slug)}
        action={t.removeShareDo}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(share.id)}
      >
        <Text>{t.removeShareText}</Text>
      </Confirm>
    </>
  );
}

const dayMs = 86_400_000;

const days = { never: null, day: 1, week: 7, month: 30, year: 365 } as const;

type Expiry = keyof typeof days;
const expiries = ['never', 'day', 'week', 'month', 'year'] as const satisfies readonly Expiry[];
const isExpiry = (value: string): value is Expiry => expiries.some((each) => each === value);

/** Null: without an end. */
function expiryAt(expiry: Expiry, nowMs: number): string | null {
  const count = days[expiry];
  return count === null ? null : new Date(nowMs + count * dayMs).toISOString();
}
