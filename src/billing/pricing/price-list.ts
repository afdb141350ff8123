import type { CursorCodec, Micro, PageRequest } from '#kernel';

export const operations = ['inference', 'training', 'index'] as const;
type Operation = (typeof operations)[number];

/** Kinds of models that have prices. */
export const pricedKinds = ['text', 'embedding', 'reranker'] as const;

/** What the price list has to know of a base model. */
export type PricedModel = {
  id: string;
  kind: (typeof pricedKinds)[number];
  /** Number of weights. */
  parameters: number;
  listedAt: Date;
  /** Credits per GPU minute; null: not offered. */
  rates: Record<Operation, Micro | null>;
  priceVersion: string;
  effectiveFrom: Date;
};

export type PriceList = {
  priceVersion: string;
  effectiveFrom: Date;
  models: readonly PricedModel[];
};

/** One line of the list: what an operation on a model costs. */
export type ListedPrice = {
  model: PricedModel;
  operation: Operation;
  rateMicroPerMinute: Micro;
};

export type PriceFilter = { kind: PricedModel['kind'] | null; operation: Operation | null };

/** Lines of the list after a cursor, one more than `limit` when another page follows. Throws `invalid_cursor`. */
export function pageOfPrices(
  { models, cursors }: { models: readonly PricedModel[]; cursors: CursorCodec },
  filter: PriceFilter,
  { limit, cursor }: PageRequest,
) {
  const scope = ['prices', filter.kind ?? '', filter.operation ?? ''];
  const place = cursor === null ? null : cursors.decode(scope, cursor);
  const all = pricesOf(models, filter);
  return {
    rows: all.filter((price) => place === null || isAfter(price, place)).slice(0, limit + 1),
    limit,
    totalCount: all.length,
    cursorOf: (price: ListedPrice) => cursors.encode(scope, placeOf(price)),
  };
}

/** Models listed last come first; each with what is offered for it. */
export function pricesOf(models: readonly PricedModel[], { kind, operation }: PriceFilter): ListedPrice[] {
  return models
    .filter((model) => kind === null || model.kind === kind)
    .toSorted(newestFirst)
    .flatMap((model) => operations.flatMap((each) => priceOf(model, each) ?? []))
    .filter((price) => operation === null || price.operation === operation);
}

function priceOf(model: PricedModel, operation: Operation): ListedPrice | null {
  const rateMicroPerMinute = model.rates[operation];
  return rateMicroPerMinute === null ? null : { model, operation, rateMicroPerMinute };
}

function newestFirst(a: PricedModel, b: PricedModel): number {
  return b.listedAt.getTime() - a.listedAt.getTime() || (a.id < b.id ? 1 : -1);
}

/** Place of a price in the list, for a cursor. */
function placeOf({ model, operation }: ListedPrice): string[] {
  return [String(model.listedAt.getTime()), model.id, String(operations.indexOf(operation))];
}

/** Whether a price comes after a place, also when the price of that place is gone. */
function isAfter(price: ListedPrice, [listedMs = '', id = '', operation = '']: readonly string[]): boolean {
  const { model } = price;
  const difference = model.listedAt.getTime() - Number(listedMs);
  if (difference !== 0) return difference < 0;
  if (model.id !== id) return model.id < id;
  return operations.indexOf(price.operation) > Number(operation);
}
