import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { SelectFilter, SetFilter } from '../../ui/filters.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { keysQuery } from '../keys/index.ts';
import { errorCodes } from './error-codes.ts';
import { operations, type RequestsSearch, spans, states } from './requests-search.ts';
import { requestsTexts } from './requests-texts.ts';

type RequestFiltersProps = {
  filter: RequestsSearch;
  isOfProject: boolean;
  onChange: (next: RequestsSearch) => void;
  children: ReactNode;
};

export function RequestFilters({ filter, isOfProject, onChange, children }: RequestFiltersProps) {
  const t = useTexts(requestsTexts);
  const { state, hours, error_code: errorCode, route, model, project } = filter;
  const codes = codesWith(errorCode);
  return (
    <Toolbar>
      <SelectFilter
        label={t.state}
        all={t.allStates}
        values={states}
        names={t.states}
        value={state}
        onChange={(next) => onChange({ state: next })}
      />
      <SelectFilter
        label={t.errorCode}
        all={t.allErrors}
        values={codes}
        names={Object.fromEntries(codes.map((code) => [code, code]))}
        value={errorCode}
        onChange={(next) => onChange({ error_code: next })}
      />
      <SelectFilter
        label={t.span}
        all={t.allSpans}
        values={spans.map(String)}
        names={Object.fromEntries(spans.map((span) => [String(span), t.spans[span]]))}
        value={hours === undefined ? undefined : String(hours)}
        onChange={(next) => onChange({ hours: spans.find((span) => String(span) === next) })}
      />
      <SelectFilter
        label={t.protocol}
        all={t.allProtocols}
        values={operations}
        names={t.operations}
        value={route}
        onChange={(next) => onChange({ route: next })}
      />
      <KeyFilter value={filter.key_id} onChange={(next) => onChange({ key_id: next })} />
      <SearchField label={t.model} value={model} onSearch={(next) => onChange({ model: next })} />
      {!isOfProject && project !== undefined && (
        <SetFilter name={t.project} onClear={() => onChange({ project: undefined })}>
          {t.project}: {project}
        </SetFilter>
      )}
      {children}
    </Toolbar>
  );
}

/** A link may name a code that is not in the list. */
function codesWith(code: string | undefined): readonly string[] {
  return code === undefined || errorCodes.some((each) => each === code) ? errorCodes : [code, ...errorCodes];
}

function KeyFilter({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const t = useTexts(requestsTexts);
  const { data } = useInfiniteQuery(keysQuery);
  const names = new Map(data?.pages.flatMap((page) => page.data).map(({ id, name }) => [id, name]));
  // A deleted key has requests, too.
  if (value !== undefined && !names.has(value)) names.set(value, value);
  return (
    <SelectFilter
      label={t.key}
      all={t.allKeys}
      values={[...names.keys()]}
      names={Object.fromEntries(names)}
      value={value}
      onChange={onChange}
    />
  );
}
