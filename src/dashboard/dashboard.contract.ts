import type { Contract } from '#http';
import { dashboardSchema } from './dashboard.schema.ts';

export const dashboardContract: Contract = {
  tag: 'dashboard',
  summary: 'Read the dashboard',
  description:
    'The state of the account at a glance. A new account gets zeros, never an error. It is made of sums, so it costs the same however much the account has used.',
  answers: {
    200: {
      description: 'The dashboard.',
      schema: dashboardSchema,
      example: {
        as_of: '2026-01-02T03:04:05.678Z',
        window: '7d',
        credits: {
          available: '987.641821',
          reserved: '0.012500',
          spent_window: '0.030250',
          projected_days_left: 228541,
        },
        usage: {
          requests: 124,
          errors: 3,
          active_ms: 60_412,
          credits: '0.030250',
          p50_ms: 380,
          p95_ms: 1_240,
          series: [
            {
              at: '2026-01-02T00:00:00.000Z',
              requests: 124,
              errors: 3,
              credits: '0.030250',
              prompt_tokens: 6_840,
              completion_tokens: 15_260,
              total_p50_ms: 520,
              total_p95_ms: 1_610,
            },
          ],
        },
        projects: {
          total: 1,
          recent: [
            {
              id: 'prj_01KAXR0GWE2M5B3H7K9T4Q6V8X',
              owner: 'ada',
              slug: 'support',
              name: 'Support',
              kind: 'text',
              visibility: 'private',
              created_at: '2026-01-01T00:00:00.000Z',
              updated_at: '2026-01-01T00:00:00.000Z',
            },
          ],
        },
        training: { active: [], queued: 0, failed_window: 0, last_succeeded: null },
        models: {
          active: 1,
          warming: 0,
          failed: 0,
          top: [{ model: 'support-chat', requests: 121, credits: '0.030250' }],
        },
        feedback: { pending: 0, needs_judgment: 0, promoted_window: 0 },
        imports: { awaiting_confirmation: 0, failed_window: 0 },
        keys: { active: 2, unused_30d: 1 },
        alerts: [
          { code: 'key_unused', severity: 'info', message: '1 active API key not used for 30 days.', href: '/keys' },
        ],
        getting_started: { project: true, key: true, first_call: true, dataset: false, training: false },
      },
    },
  },
  faults: ['not_found'],
};
