import type { ListPage, PageRequest } from '#kernel';

const pageSize = 100;

export async function everyRow<Row>(list: (page: PageRequest) => Promise<ListPage<Row>>): Promise<Row[]> {
  const all: Row[] = [];
  for (let cursor: string | null = null; ; ) {
    const { rows, limit, cursorOf }: ListPage<Row> = await list({ limit: pageSize, cursor });
    const shown = rows.slice(0, limit);
    all.push(...shown);
    const last = shown.at(-1);
    if (rows.length <= limit || !last) return all;
    cursor = cursorOf(last);
  }
}
