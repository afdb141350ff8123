import { ascendingIds, newId } from '#kernel';
import { limits } from './event.ts';
import { readReport, wholeBody } from './event-reader.ts';
import { FieldError } from './field-error.ts';
import { readFields, readList } from './fields.ts';
import { type NewEvent, newEvent } from './new-event.ts';
import { UnknownFields } from './unknown-fields.ts';

/** Where reported events go, and what makes one a positive. */
export type Destination = { datasetId: string; minStrength: number };

/** Names of fields that had no effect, for the header field. */
export type Read<Value> = { value: Value; ignored: string[] };

/** Reads a body that is one event. Throws its fault. */
export function readOneEvent(body: unknown, { datasetId, minStrength }: Destination): Read<NewEvent> {
  const unknown = new UnknownFields();
  try {
    const reported = readReport(body, wholeBody, unknown);
    const id = newId('rev');
    return { value: newEvent(reported, { datasetId, id }, minStrength), ignored: unknown.names() };
  } catch (error) {
    throw error instanceof FieldError ? error.toFault() : error;
  }
}

/** Reads a batch, each event for itself. Throws the fault of what is no batch. */
export function readBatch(body: unknown, { datasetId, minStrength }: Destination): Read<(NewEvent | FieldError)[]> {
  const unknown = new UnknownFields();
  const nextId = ascendingIds('rev');
  const value = readItems(body, unknown).map((item, index) => {
    try {
      const reported = readReport(item, { param: `events[${index}].`, place: 'events.' }, unknown);
      return newEvent(reported, { datasetId, id: nextId() }, minStrength);
    } catch (error) {
      if (error instanceof FieldError) return error;
      throw error;
    }
  });
  return { value, ignored: unknown.names() };
}

function readItems(body: unknown, unknown: UnknownFields): unknown[] {
  try {
    const fields = readFields(body, '');
    for (const name in fields) if (name !== 'events') unknown.note(name, name, fields[name]);
    return readList(fields.events, 'events', [1, limits.maxBatch]);
  } catch (error) {
    throw error instanceof FieldError ? error.toFault() : error;
  }
}
