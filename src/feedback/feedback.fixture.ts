import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { Database } from '#db';
import { newId } from '#kernel';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp, type TestAppOptions } from '#test/app.ts';
import { createTestDatabase } from '#test/database.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { type NewEvent, newEvent } from './events/new-event.ts';
import { readReportedEvent } from './events/read-event.ts';

/** The wired program, and people in it who give feedback. */
export type FeedbackServer = {
  app: TestApp;
  database: Database;
  /** An account with an embedding project `search`, a text project `chat`, and an embedding dataset. */
  person: () => Promise<Person>;
  stop: () => Promise<void>;
};

export type Answer = {
  status: number;
  headers: Headers;
  json: ReturnType<typeof JSON.parse>;
};

export type Person = Tenant & {
  datasetId: string;
  /** Path of the events of the dataset. */
  events: string;
  project: string;
  ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  /** Reports an event, which must be taken. */
  report: (event?: object) => Promise<Answer['json']>;
  newDataset: () => Promise<string>;
};

export async function startFeedback(options: TestAppOptions = {}): Promise<FeedbackServer> {
  const db = await createTestDatabase({ maxConnections: 16 });
  const app = await startApp(db.database, options);
  return {
    app,
    database: db.database,
    person: async () => becomePerson(app, await seedTenant(db.database, app.models)),
    stop: async () => {
      await app.stop();
      await db.drop();
    },
  };
}

async function becomePerson(app: TestApp, tenant: Tenant): Promise<Person> {
  const project = `/api/v1/projects/${tenant.slug}/search`;
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(app.origin + path, {
      method,
      headers: {
        ...bearer(tenant.key),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) };
  };
  const newDataset = async () => {
    const { status, json } = await ask('POST', `${project}/datasets`, { name: 'Clicks' });
    assert.equal(status, 201, JSON.stringify(json));
    return String(json.id);
  };
  const datasetId = await newDataset();
  const events = `${project}/datasets/${datasetId}/retrieval-events`;
  const report = async (event: object = {}) => {
    const { status, json } = await ask('POST', events, { ...anEvent(), ...event });
    assert.equal(status, 201, JSON.stringify(json));
    return json;
  };
  return { ...tenant, datasetId, events, project, ask, report, newDataset };
}

const topics = ['lamp', 'door', 'kettle', 'router', 'ladder', 'printer', 'heater', 'camera'];

/** A search for something new, with four results of which the third was clicked. */
export function anEvent() {
  const topic = `${topics[randomInt(topics.length)]} ${randomInt(1e9)}`;
  return {
    query: `how do I repair the ${topic}`,
    results: [
      { rank: 1, document_id: 'a', text: `Our ${topic} is sold in five colours and two sizes.` },
      { rank: 2, document_id: 'b', text: `The ${topic} was made by hand for many years in a small town.` },
      { rank: 3, document_id: 'c', text: `To repair the ${topic}, unplug it and hold its button for ten seconds.` },
      { rank: 4, document_id: 'd', text: `Read about the ${topic} in our yearly catalogue.` },
    ],
    judgments: [{ rank: 3, label: 'positive', signal: 'click' }],
  };
}

/** A row of such an event, to be written without a request. */
export function aNewEvent(
  datasetId: string,
  { id = newId('rev'), ...event }: { id?: string; external_id?: string } = {},
): NewEvent {
  return newEvent(readReportedEvent({ ...anEvent(), ...event }), { datasetId, id }, 0.5);
}
