import { Progress } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Project } from '../projects/index.ts';
import { useHeldOut } from './held-out.ts';
import { isOver } from './job-state.ts';
import { spentSoFar } from './spent-so-far.ts';
import type { Job } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';
import { useLoss } from './use-loss.ts';

export function ProgressPanel({ job, kind }: { job: Job; kind: Project['kind'] }) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const loss = useLoss();
  const heldOut = useHeldOut(kind);
  const measured = heldOut.valueOf(job);
  const { progress, state } = job;
  const { step, total_steps, percent } = progress;
  const aside = total_steps !== null && t.steps(format.number(step), format.number(total_steps));
  return (
    <Panel title={t.progress} text={<StateText job={job} />} aside={aside}>
      <Progress
        value={percent ?? 0}
        size={8}
        aria-label={t.progress}
        color={state === 'failed' ? 'rust' : 'pine'}
        animated={!isOver(state) && state !== 'queued'}
        mb="md"
      />
      <DescriptionList least="6.5rem">
        <Description name={t.loss}>{loss(progress.loss)}</Description>
        {(kind === 'text' || measured !== null) && <Description name={heldOut.name}>{loss(measured)}</Description>}
        <Description name={t.epoch}>{loss(progress.epoch)}</Description>
        {!isOver(state) && (
          <Description name={t.left}>{progress.eta_ms === null ? '–' : format.duration(progress.eta_ms)}</Description>
        )}
        <Description name={t.tokens}>{format.shortNumber(progress.tokens_seen)}</Description>
        <Description name={t.activeTime}>{format.duration(job.active_ms)}</Description>
        <Description
          name={isOver(state) ? t.cost : t.spent}
          more={t.rate(format.credits(job.rate.credits_per_gpu_minute))}
        >
          {format.credits(spentSoFar(job))}
        </Description>
      </DescriptionList>
    </Panel>
  );
}

/** Details that the state alone does not show. */
function StateText({ job: { state, queue_position } }: { job: Job }) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  switch (state) {
    case 'queued':
      return (
        <>
          {queue_position !== null && t.queue(format.number(queue_position))} {t.queueText}
        </>
      );
    case 'preparing':
      return t.preparingText;
    case 'interrupted':
      return t.interruptedText;
    case 'saving':
      return t.savingText;
    case 'canceling':
      return t.cancelingText;
    default:
      return null;
  }
}
