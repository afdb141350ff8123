import assert from 'node:assert/strict';
import { type PartitionMaintenance, sqlState } from '#db';

const lockNotAvailable = '55P03';

/** One round of them; a month whose table is in use just then is tried again, as the next round would. */
export async function maintainPartitions(months: PartitionMaintenance): Promise<void> {
  for (let isBusy = true; isBusy; )
    isBusy = await months.run().then(
      () => false,
      (error: unknown) => {
        assert.equal(sqlState(error), lockNotAvailable, String(error));
        return true;
      },
    );
}
