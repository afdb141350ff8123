import type { Database } from '#db';
import type { ProjectRemovalStep } from '#projects';
import {
  deleteCountsOf,
  deleteNamesOf,
  deleteNoticesOf,
  deletePairsOf,
  listDatasetsIn,
} from './deleted-projects.store.ts';
import { deleteEventsBefore } from './maintenance.store.ts';

const datasetsAtOnce = 100;
/** Few at a time: an event may hold half a million characters. */
const eventsAtOnce = 200;
const rowsAtOnce = 2_000;
/** No id is as high. */
const afterAll = 'rev_~';

/** Removes the search feedback of a deleted project. */
export function removeFeedbackOf(database: Database): ProjectRemovalStep {
  return async ({ id }, { repeat }) => {
    let afterId = '';
    await repeat(async () => {
      const datasets = await listDatasetsIn(database, id, datasetsAtOnce, afterId);
      for (const datasetId of datasets) {
        await repeat(() => deleteEventsBefore(database, { datasetId, endId: afterAll, limit: eventsAtOnce }));
        await repeat(() => deleteNamesOf(database, datasetId, rowsAtOnce));
        await repeat(() => deletePairsOf(database, datasetId, rowsAtOnce));
        await deleteNoticesOf(database, datasetId);
        await deleteCountsOf(database, datasetId);
      }
      afterId = datasets.at(-1) ?? afterId;
      return datasets.length;
    });
  };
}
