import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { IconEdit } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import styles from './models.module.css';
import { useChangeModel } from './models-changes.ts';
import { type HostedModel, type ModelPath, trainedModelsQuery } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { targetValue } from './target-value.ts';
import { useTargetName } from './use-target-name.ts';

export function ModelDetails({ path, model }: { path: ModelPath; model: HostedModel }) {
  const t = useTexts(modelsTexts);
  const { never } = useTexts(sharedTexts);
  const format = useFormat();
  const { limits, rate, runtime } = model;
  return (
    <Panel
      title={model.display_name === model.alias ? t.about : model.display_name}
      aside={<RenameModel path={path} model={model} />}
    >
      <DescriptionList least="13rem">
        <Description name={t.target} more={model.target.id !== model.base_model && model.base_model}>
          <Target model={model} />
        </Description>
        <Description name={t.runtime} more={runtime.runs_on !== null && t.runsOn(runtime.runs_on)}>
          {t.runtimes[runtime.status]}
        </Description>
        <Description name={t.rate}>
          {t.rateText(format.credits(rate.credits_per_gpu_minute))}
          {rate.frozen_at && (
            <span className={styles.quiet}>
              {t.frozenSince} <RelativeTime at={rate.frozen_at} />
            </span>
          )}
        </Description>
        {limits.max_context_tokens !== null && (
          <Description name={t.context}>{t.tokens(format.number(limits.max_context_tokens))}</Description>
        )}
        {limits.max_input_tokens !== null && (
          <Description name={t.maxInput}>{t.tokens(format.number(limits.max_input_tokens))}</Description>
        )}
        {model.dimensions !== null && <Description name={t.dimensions}>{format.number(model.dimensions)}</Description>}
        <Description name={t.lastCalled}>
          {model.last_called_at ? <RelativeTime at={model.last_called_at} /> : never}
        </Description>
        <Description name={t.changed}>
          <RelativeTime at={model.updated_at} />
        </Description>
      </DescriptionList>
    </Panel>
  );
}

/** A trained model links to its job. */
function Target({ model: { target, kind } }: { model: HostedModel }) {
  const targetName = useTargetName(kind, [target]);
  const { data: trained } = useQuery({ ...trainedModelsQuery(kind), enabled: target.type === 'training_job' });
  const job = trained?.data.find(({ ref }) => ref === targetValue(target));
  if (!job?.project) return targetName(target);
  const { owner, slug } = job.project;
  return (
    <TextLink to="/projects/$owner/$project/training-jobs/$id" params={{ owner, project: slug, id: target.id }}>
      {job.name}
    </TextLink>
  );
}

/** Changes the display name; the alias stays. */
function RenameModel({ path, model }: { path: ModelPath; model: HostedModel }) {
  const t = useTexts(modelsTexts);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        leftSection={<IconEdit size={14} />}
        onClick={() => setOpen(true)}
      >
        {t.rename}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t.rename}>
        <NameForm path={path} model={model} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function NameForm({ path, model, onClose }: { path: ModelPath; model: HostedModel; onClose: () => void }) {
  const t = useTexts(modelsTexts);
  const shared = useTexts(sharedTexts);
  const [name, setName] = useState(model.display_name);
  const change = useChangeModel(path);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { display_name: name.trim() },
      {
        onSuccess: () => {
          onClose();
          notify({ tone: 'good', text: t.renamed });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t.displayName}
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {change.error ? <ProblemNote error={change.error} /> : null}
        <SubmitRow action={shared.save} isBusy={change.isPending} disabled={name.trim() === ''} onCancel={onClose} />
      </Stack>
    </form>
  );
}
