import Type from 'typebox';
import type { Contract } from '#http';

export const exportContract: Contract = {
  tag: 'account',
  summary: 'Export the account',
  description:
    'One ZIP archive with profile, keys (without secrets), ledger and activity, and for each project its datasets, chats, saved calls, search feedback and training jobs with adapters, in JSON lines whose rows are those of the API. It is made while it is sent: what changes meanwhile may be in it or not. One export of an account runs at a time.',
  answers: {
    200: {
      description: 'The archive.',
      type: 'application/zip',
      schema: Type.String({ description: 'Bytes.' }),
      example: 'PK...',
    },
  },
  faults: ['in_use'],
};
