import { filesOfCall } from '#test/call-files.ts';
import { createTestDatabase } from '#test/database.ts';
import type { Row } from './table.ts';

/** How many files of `src` one warm chat call runs in, which whoever follows a call through the code has to read. */
export async function benchCallFiles(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of ['remote', 'embedded'] as const) {
    const { database, drop } = await createTestDatabase();
    const files = await filesOfCall(database, { engine }).finally(drop);
    const rooms = [...Map.groupBy(files, (file) => file.split('/')[0] ?? '')];
    for (const [room, list] of rooms) console.error(`${engine} ${room}: ${list.join(' ')}`);
    rows.push({
      name: `files of a warm chat call, ${engine} engine`,
      ratio: files.length,
      goal: 40,
      sense: 'at most',
      figures: rooms.map(([room, list]) => `${room} ${list.length}`).join(', '),
    });
  }
  return rows;
}
