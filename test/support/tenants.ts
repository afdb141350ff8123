import { grant } from '#billing';
import type { Database } from '#db';
import { microPerCredit } from '#kernel';
import { type HostedModel, insertHostedModel, type ModelsService } from '#models';
import { seedAccount, seedKey, seedProject } from './accounts.ts';

/** An account that can call: credits, a key, and private projects `chat` and `search` with an active alias each. */
export type Tenant = { accountId: string; slug: string; key: string; keyId: string };

const tinyModels = { text: 'fanfold-tiny-chat', embedding: 'fanfold-tiny-embed' } as const;

export async function seedTenant(
  database: Database,
  models: ModelsService,
  { credits = 1000 }: { credits?: number } = {},
): Promise<Tenant> {
  const { accountId, slug } = await seedAccount(database);
  const { key, keyId } = await seedKey(database, { accountId });
  for (const [project, kind] of [
    ['chat', 'text'],
    ['search', 'embedding'],
  ] as const) {
    const { projectId } = await seedProject(database, { accountId, slug: project, kind });
    await seedAlias(database, models, { projectId, kind, alias: project });
  }
  await database.transaction((tx) =>
    grant(tx, { accountId, micro: BigInt(credits) * microPerCredit, note: 'Test credits' }),
  );
  return { accountId, slug, key, keyId };
}

export type SeededAlias = {
  projectId: string;
  alias: string;
  kind?: keyof typeof tinyModels;
  visibility?: HostedModel['visibility'];
  active?: boolean;
  /** Default: the tiny model of the kind. */
  model?: string;
};

/** An alias in a project. */
export async function seedAlias(database: Database, models: ModelsService, seeded: SeededAlias): Promise<void> {
  const { kind = 'text', active = true, model = tinyModels[kind], ...alias } = seeded;
  const baseModel = models.find(model);
  if (!baseModel) throw new Error(`The catalogue has no ${model}.`);
  await insertHostedModel(database, { ...alias, baseModel, active });
}
