import { openBooks } from './books.ts';
import { openCalls } from './calls.ts';
import { openEngines } from './engines.ts';
import { type AppOptions, openGround } from './ground.ts';
import { openResources } from './resources.ts';

export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/** Makes the rooms, each with what it needs of others; nothing runs yet. */
export async function openRooms(options: AppOptions) {
  const ground = await openGround(options);
  const engines = openEngines(options, ground, () => resources.training.served);
  const books = openBooks(options, ground, engines);
  const resources = openResources(ground, engines, books);
  const calls = openCalls(options, { ground, engines, books, resources });
  return { ...ground, ...engines, ...books, ...resources, ...calls };
}
