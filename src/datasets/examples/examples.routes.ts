import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from '#calls';
import type { Database } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, Fault, fault, isId } from '#kernel';
import { changeOwnDataset, datasetPathOf, readOwnDataset, seeDatasetToChange } from '../dataset-access.ts';
import { datasetPath } from '../datasets.routes.ts';
import type { Dataset } from '../datasets.store.ts';
import { type ExampleTokensDeps, tokenCounterOf } from '../example-tokens.ts';
import type { DatasetLimits } from '../limits.ts';
import { type DatasetVersion, findVersion } from '../versions/versions.store.ts';
import { addExamples } from './add-examples.ts';
import { changeExample, type ExampleChange, noSuchExample, removeExample } from './change-example.ts';
import { findExample } from './example-list.store.ts';
import { listExamples } from './example-list.ts';
import { createContract, deleteContract, listContract, readContract, updateContract } from './examples.contract.ts';
import { addedToWire, createExamplesBody, examplesQuery, exampleToWire, updateExampleBody } from './examples.schema.ts';
import { type PreparedExample, prepareExamples } from './new-examples.ts';
import { readChange, readNewExample, storableOf } from './read-example.ts';

export type ExamplesRoutesDeps = ExampleTokensDeps & {
  database: Database;
  cursors: CursorCodec;
  limits: DatasetLimits;
};

const examplesPath = `${datasetPath}/examples`;
const examplePath = `${examplesPath}/:exampleId`;

/** A hundred examples, each about as long as a context. */
const batchBytes = 4 * 1024 * 1024;

export function examplesRoutes(deps: ExamplesRoutesDeps) {
  const { database, limits } = deps;
  const maxExamples = limits.maxExamplesPerDataset;

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      examplesPath,
      { config: { operation: 'examples.list', contract: listContract }, schema: { querystring: examplesQuery } },
      async (request) => {
        const { dataset } = await readOwnDataset(database, request.principal, datasetPathOf(request));
        const { q = '', version_id: versionId, split = null, origin = null, valid = null } = request.query;
        const version = versionId === undefined ? null : await versionOf(database, dataset, versionId);
        const query = { dataset, version, split, origin, valid, q: q.trim() === '' ? null : q };
        const page = await listExamples(deps, query, readPage(request.query));
        return {
          ...pageOf({ ...page, toWire: (row) => exampleToWire(row, dataset.kind) }),
          total_count_is_exact: page.isExact,
        };
      },
    );

    typed.post(
      examplesPath,
      {
        // A text that cannot be stored is an issue of its own example.
        config: {
          operation: 'examples.create',
          contract: createContract,
          json: { badText: 'pass', exact: ['examples'] },
        },
        schema: { body: createExamplesBody },
        bodyLimit: batchBytes,
      },
      async (request) => {
        const { examples, dedupe = 'exact' } = request.body;
        const path = datasetPathOf(request);
        const { dataset } = await seeDatasetToChange(database, request.principal, path);
        const prepared = await prepareSent(deps, dataset, examples);
        const added = await once(request, database).transaction(async (tx) => {
          await changeOwnDataset(tx, request.principal, path);
          return addExamples(tx, { datasetId: dataset.id, examples: prepared, dedupe, maxExamples });
        });
        return addedToWire(added);
      },
    );

    app.get(examplePath, { config: { operation: 'examples.read', contract: readContract } }, async (request) => {
      const { dataset } = await readOwnDataset(database, request.principal, datasetPathOf(request));
      const example = await findExample(database, dataset.id, exampleIdOf(request));
      if (!example) throw noSuchExample();
      return exampleToWire(example, dataset.kind);
    });

    typed.patch(
      examplePath,
      {
        config: { operation: 'examples.update', contract: updateContract, json: { exact: ['text'] } },
        schema: { body: updateExampleBody },
        bodyLimit: batchBytes,
      },
      async (request) => {
        const path = datasetPathOf(request);
        const { dataset } = await seeDatasetToChange(database, request.principal, path);
        const change = await prepareChange(deps, dataset, readChange(request.body, dataset.kind));
        const example = await database.transaction(async (tx) => {
          const { dataset: locked } = await changeOwnDataset(tx, request.principal, path);
          return changeExample(tx, locked, { id: exampleIdOf(request), change });
        });
        return exampleToWire(example, dataset.kind);
      },
    );

    app.delete(
      examplePath,
      { config: { operation: 'examples.delete', contract: deleteContract } },
      async (request, reply) => {
        await database.transaction(async (tx) => {
          const { dataset } = await changeOwnDataset(tx, request.principal, datasetPathOf(request));
          await removeExample(tx, dataset, exampleIdOf(request));
        });
        return reply.code(204).send();
      },
    );
  };
}

async function prepareSent(
  deps: ExampleTokensDeps,
  dataset: Dataset,
  sent: readonly unknown[],
): Promise<PreparedExample[]> {
  const read = sent.map((item) => readNewExample(item, dataset.kind));
  const valid = read.flatMap((item) => ('content' in item ? [item] : []));
  const counting = prepareExamples(valid, { kind: dataset.kind, tokenCounter: tokenCounterOf(deps, dataset) });
  const ready = (await counting.catch(naming('examples'))).values();
  return read.map((item) => {
    if (!('content' in item)) return item;
    const { value } = ready.next();
    if (!value) throw new Error('An example was not prepared. This is a bug.');
    return value;
  });
}

/** A tokeniser that cannot read a text does not know the field that it came in. */
function naming(param: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Fault) || error.fault !== 'invalid_request') throw error;
    throw fault(error.fault, { ...error.options, param });
  };
}

async function prepareChange(
  deps: ExampleTokensDeps,
  dataset: Dataset,
  { content, split }: ReturnType<typeof readChange>,
): Promise<ExampleChange> {
  if (content === undefined) return { content, split };
  const { kind } = dataset;
  const sent = { content, split: split ?? 'train', origin: 'manual', originId: null } as const;
  const [prepared] = await prepareExamples([sent], { kind, tokenCounter: tokenCounterOf(deps, dataset) }).catch(
    naming(kind),
  );
  return { content: prepared && storableOf(prepared, kind), split };
}

async function versionOf(database: Database, dataset: Dataset, id: string): Promise<DatasetVersion> {
  const version = isId('dsv', id) ? await findVersion(database, { projectId: dataset.projectId, id }) : null;
  if (!version || version.datasetId !== dataset.id)
    throw fault('not_found', { message: 'There is no such version of this dataset.', param: 'version_id' });
  return version;
}

function exampleIdOf({ params }: FastifyRequest): string {
  // as: the path declares it.
  const { exampleId } = params as { exampleId: string };
  if (!isId('ex', exampleId)) throw noSuchExample();
  return exampleId;
}
