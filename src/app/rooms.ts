import { openAccountRemoval } from './account-removal.ts';
import { openAccounting } from './accounting.ts';
import { openCalls } from './calls.ts';
import { openEngines } from './engines.ts';
import { type AppOptions, openInfrastructure } from './infrastructure.ts';
import { openProjectRemoval } from './project-removal.ts';
import { openResources } from './resources.ts';

export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/** Makes the rooms, each with what it needs of others; nothing runs yet. */
export async function openRooms(options: AppOptions) {
  const infrastructure = await openInfrastructure(options);
  const engines = openEngines(options, infrastructure, () => resources.training.served);
  const accounting = openAccounting(options, infrastructure, engines);
  const resources = openResources(infrastructure, engines, accounting);
  const calls = openCalls(options, { infrastructure, engines, accounting, resources });
  const projectRemoval = openProjectRemoval(infrastructure, resources);
  const { imports, indexes, training } = resources;
  const work = [imports.work, indexes.work, training.work];
  const accountRemoval = openAccountRemoval(infrastructure, work);
  return { ...infrastructure, ...engines, ...accounting, ...resources, ...calls, projectRemoval, work, accountRemoval };
}
