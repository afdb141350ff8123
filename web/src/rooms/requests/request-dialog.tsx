import { Alert, Button, Code, Group, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { IconAlertCircle } from '../../ui/icons.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { useOperationName } from './request-rows.tsx';
import { RequestState } from './request-state.tsx';
import { type RequestRecord, requestQuery } from './requests-queries.ts';
import type { RequestsSearch } from './requests-search.ts';
import { requestsTexts } from './requests-texts.ts';
import { SavedCall } from './saved-call.tsx';

type RequestDialogProps = {
  id: string | undefined;
  onClose: () => void;
  /** Closes it and lists requests. */
  onFilter: (filter: RequestsSearch) => void;
};

export function RequestDialog({ id, onClose, onFilter }: RequestDialogProps) {
  const t = useTexts(requestsTexts);
  return (
    <Dialog opened={id !== undefined} onClose={onClose} title={t.detailTitle} size="lg" isLossless>
      {id !== undefined && (
        <AsyncBoundary skeleton={<TableSkeleton columns={2} />}>
          <Detail id={id} onFilter={onFilter} />
        </AsyncBoundary>
      )}
    </Dialog>
  );
}

function Detail({ id, onFilter }: { id: string; onFilter: (filter: RequestsSearch) => void }) {
  const { data: request } = useSuspenseQuery(requestQuery(id));
  return (
    <Stack gap="md">
      <Failure request={request} onFilter={onFilter} />
      <Facts request={request} />
      <SavedCall request={request} />
    </Stack>
  );
}

function Failure({ request, onFilter }: { request: RequestRecord; onFilter: (filter: RequestsSearch) => void }) {
  const t = useTexts(requestsTexts);
  const { error_code: code, error_message: message } = request;
  if (code === null) return null;
  return (
    <Alert color="rust" icon={<IconAlertCircle />} title={code}>
      {message}
      <Group mt="xs">
        <Button variant="default" size="xs" onClick={() => onFilter({ error_code: code })}>
          {t.same}
        </Button>
      </Group>
    </Alert>
  );
}

function Facts({ request }: { request: RequestRecord }) {
  const t = useTexts(requestsTexts);
  const format = useFormat();
  const operationName = useOperationName();
  const { id, project, model, key, prompt_tokens: prompt, completion_tokens: completion } = request;
  const duration = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  return (
    <DescriptionList least="11rem">
      <Description name={t.state}>
        <RequestState request={request} />
      </Description>
      <Description name={t.time}>{format.dateTime(request.created_at)}</Description>
      <Description name={t.model}>{model ?? '–'}</Description>
      <Description name={t.project}>
        {project ? (
          <TextLink to="/projects/$owner/$project" params={{ owner: project.owner, project: project.slug }}>
            {project.owner}/{project.slug}
          </TextLink>
        ) : (
          '–'
        )}
      </Description>
      <Description name={t.key}>{key?.name ?? t.signedIn}</Description>
      <Description name={t.protocol}>{operationName(request.route)}</Description>
      <Description name={t.tokens}>
        {prompt === null ? '–' : t.tokensText(format.number(prompt), format.number(completion ?? 0))}
      </Description>
      <Description name={t.firstTokenLong}>{duration(request.first_token_ms)}</Description>
      <Description name={t.total}>{duration(request.total_ms)}</Description>
      <Description name={t.activeTime}>{format.duration(request.active_ms)}</Description>
      <Description name={t.credits}>{format.exactCredits(request.credits)}</Description>
      <Description name={t.requestId}>
        <Group gap={4} wrap="nowrap">
          <Code>{id}</Code>
          <CopyIcon text={id} label={t.copyId} />
        </Group>
      </Description>
    </DescriptionList>
  );
}
