/** Customers ask for products by nicknames that no passage contains: something that only feedback can teach. */
export type Feedback = { query: string; positive: string; negatives: string[] };

const brands = 'Mellin Purth Zendor Kavil Torma Lisk Brunel Askon Vettri Dolmar Quenta Rosk'.split(' ');
const things = 'lamp charger router kettle camera printer drone heater scooter blender monitor speaker'.split(' ');
const nicknames =
  'old whale,red giant,little star,grey mouse,night owl,iron lady,fast fox,big mama,white bear,lucky seven,green frog,brown horse'.split(
    ',',
  );
const facts: readonly [passage: string, query: string][] = [
  ['The THING costs NUMBER euros.', 'How much does the THING cost?'],
  ['The THING weighs NUMBER kilograms.', 'How heavy is the THING?'],
  ['The THING has a NUMBER month warranty.', 'How long is the guarantee on the THING?'],
  ['The THING is delivered within NUMBER days.', 'When will my THING arrive?'],
  ['The THING can be returned within NUMBER days.', 'Can I send back the THING?'],
  ['The battery of the THING lasts NUMBER hours.', 'How long does the THING run on one charge?'],
  ['The THING is NUMBER centimetres tall.', 'How big is the THING?'],
  ['If the THING fails to start, hold reset for NUMBER seconds.', 'The THING does not start'],
];

const passage = (product: number, fact: number) =>
  (facts[fact]?.[0] ?? '')
    .replace('THING', `${brands[product]} ${things[product]}`)
    .replace('NUMBER', String(3 + ((product * 17 + fact * 29) % 190)));
const query = (product: number, fact: number) => (facts[fact]?.[1] ?? '').replace('THING', nicknames[product] ?? '');

/** Of each product some questions teach its nickname, and others measure whether it was understood. */
const isHeldOut = (product: number, fact: number) => (fact + product * 3) % facts.length < 2;

const all = brands.flatMap((_, product) => facts.map((_fact, fact) => ({ product, fact })));

export const corpus = all.map(({ product, fact }) => passage(product, fact));

export const clicks: Feedback[] = all
  .filter(({ product, fact }) => !isHeldOut(product, fact))
  .map(({ product, fact }) => ({
    query: query(product, fact),
    positive: passage(product, fact),
    negatives: [5, 9].map((step) => passage((product + step) % brands.length, fact)),
  }));

export const heldOut = all
  .filter(({ product, fact }) => isHeldOut(product, fact))
  .map(({ product, fact }) => ({ query: query(product, fact), wanted: passage(product, fact) }));

/** How well queries find the one passage that answers them, among all: 1 when it always comes first. */
export function ndcgAt10(queries: readonly Float32Array[], documents: readonly Float32Array[]): number {
  const gains = heldOut.map(({ wanted }, index) => {
    const scores = documents.map((document) => dot(queries[index], document));
    const own = scores[corpus.indexOf(wanted)] ?? Number.NEGATIVE_INFINITY;
    const rank = scores.filter((score) => score > own).length;
    return rank < 10 ? 1 / Math.log2(rank + 2) : 0;
  });
  return gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
}

function dot(some: Float32Array | undefined, others: Float32Array): number {
  let sum = 0;
  for (const [index, other] of others.entries()) sum += (some?.[index] ?? 0) * other;
  return sum;
}
