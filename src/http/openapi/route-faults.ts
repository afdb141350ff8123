import { type FaultName, isFields } from '#kernel';
import type { RegisteredRoute } from '../route-table.ts';

/** What any request may meet before a route is asked, whatever the route. */
const always: readonly FaultName[] = [
  'invalid_request',
  'request_timeout',
  'unsupported_media_type',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];

/**
 * The faults of a route: those which the server gives it by its method, access and schemas, and those which its
 * contract names. Sorted by status, so that documents do not depend on the order of a list.
 */
export function faultsOf(row: RegisteredRoute): FaultName[] {
  return [...new Set([...always, ...byAccess(row), ...byRequest(row), ...(row.contract?.faults ?? [])])];
}

function byAccess({ method, access, contract }: RegisteredRoute): FaultName[] {
  if (access === 'public') return [];
  const known: FaultName[] = ['invalid_credentials', 'account_suspended'];
  if (access === 'admission') return [...known, 'project_not_found', 'state_conflict'];
  // A change by a session without its token.
  if (method !== 'GET' || contract?.operator) known.push('forbidden');
  return contract?.credential === 'session' ? [...known, 'session_required'] : known;
}

function byRequest({ method, path, access, schema, contract }: RegisteredRoute): FaultName[] {
  const query = contract?.query ?? schema.querystring;
  return [
    ...(method === 'GET' ? [] : (['payload_too_large'] as const)),
    ...(schema.body && access !== 'admission' ? (['invalid_shape'] as const) : []),
    ...(path.includes(':') && access !== 'admission' ? (['not_found'] as const) : []),
    ...(contract?.idempotent ? (['idempotency_conflict', 'idempotency_in_progress'] as const) : []),
    ...(hasField(query, 'cursor') ? (['invalid_cursor'] as const) : []),
  ];
}

function hasField(schema: unknown, name: string): boolean {
  return isFields(schema) && isFields(schema.properties) && Object.hasOwn(schema.properties, name);
}
