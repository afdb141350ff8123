import { randomBytes } from 'node:crypto';
import { ownAccount, ownerOnlyChange, type Row, visibleRead } from '../matrix.ts';

const freshSlug = () => `made-${randomBytes(4).toString('hex')}`;

export const rows: Row[] = [
  { operation: 'projects.list', expected: ownAccount(), request: () => ({ query: { limit: '100', access: 'all' } }) },
  {
    operation: 'projects.create',
    expected: ownAccount('201'),
    request: () => ({ body: { name: 'Made', slug: freshSlug(), kind: 'text' } }),
    attempts: [
      {
        name: "a body that names the owner's account",
        request: ({ world }) => ({
          body: {
            name: 'Made',
            slug: freshSlug(),
            kind: 'text',
            owner: { id: world.owner.accountId },
            account_id: 'x',
          },
        }),
        expected: '201',
      },
    ],
  },
  { operation: 'projects.read', expected: visibleRead() },
  {
    operation: 'projects.update',
    expected: ownerOnlyChange(),
    request: () => ({ body: { description: `Changed ${freshSlug()}` } }),
  },
  {
    operation: 'projects.delete',
    expected: ownerOnlyChange('204'),
    request: async ({ world, place, owner }) => {
      // Where others see the project they are told why they may not.
      if (place !== world.places.text.private) return {};
      const slug = freshSlug();
      await owner('POST', '/api/v1/projects', { name: 'To delete', slug, kind: 'text' });
      return { params: { project: slug } };
    },
  },
];
