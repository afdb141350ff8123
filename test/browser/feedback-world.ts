import type { Ask } from './data-world.ts';

export const shown = [
  'Parcels leave our house every evening at six.',
  'Refunds are paid within five days to the account that was charged.',
  'We are open from nine to five, and closed on Sundays.',
];

/** A search whose second result was clicked, unless nothing was. */
export async function report(ask: Ask, datasetId: string, query: string, { isClicked = true } = {}): Promise<void> {
  await ask('POST', `/datasets/${datasetId}/retrieval-events`, {
    query,
    results: shown.map((text, index) => ({ rank: index + 1, text: `${text} ${query}` })),
    judgments: isClicked ? [{ rank: 2, label: 'positive', signal: 'click' }] : [],
  });
}
