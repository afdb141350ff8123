import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault, type FaultName } from '#kernel';
import { fc } from '#test/properties.ts';
import type { BaseModel } from './base-model.ts';
import type { AliasRow } from './hosted-models.store.ts';
import { type ModelQuery, resolveModel } from './resolve.ts';

const text: BaseModel = {
  id: 'base-text',
  name: 'Base',
  kind: 'text',
  parameters: 1,
  license: 'Apache-2.0',
  maxContextTokens: 4096,
  dimensions: null,
  maxInputTokens: null,
  rateMicroPerMinute: 30_000n,
  priceVersion: 'now',
  queryInstruction: null,
  reasoningEfforts: [],
  tools: true,
  source: { type: 'shipped', file: 'a.gguf' },
  installed: { ggufPath: '/a.gguf', sha256: 'a' },
  created: new Date(0),
};
const embedding: BaseModel = {
  ...text,
  id: 'base-embed',
  kind: 'embedding',
  maxContextTokens: 512,
  dimensions: 128,
  maxInputTokens: 512,
  queryInstruction: 'Find it',
};
const absent: BaseModel = {
  ...text,
  id: 'base-absent',
  source: { type: 'hub', repo: 'a/b', revision: 'main', sizeBytes: null, sha256: null },
  installed: null,
};
const gone: BaseModel = { ...absent, id: 'base-gone', source: null };
const known = new Map([text, embedding, absent, gone].map((model) => [model.id, model]));
const baseModels = { find: (id: string) => known.get(id) };

const alias: AliasRow = {
  id: 'hm_1',
  alias: 'helper',
  targetType: 'base_model',
  targetId: 'base-text',
  baseModelId: 'base-text',
  revision: 3,
  visibility: 'private',
  state: 'active',
  rateMicroPerMinute: 7n,
  priceVersion: 'then',
};

function ask(question: Partial<ModelQuery>) {
  return resolveModel({
    requested: 'helper',
    alias: null,
    isOwner: true,
    isShared: false,
    baseModels,
    etaMs: () => null,
    ...question,
  });
}

function refuses(question: Partial<ModelQuery>, name: FaultName, message: RegExp) {
  assert.throws(
    () => ask(question),
    (error) => {
      assert.ok(error instanceof Fault);
      assert.equal(error.fault, name);
      assert.equal(error.options.param, 'model');
      assert.match(error.message, message);
      return true;
    },
  );
}

describe('what a model string means', () => {
  test('an alias runs on its target at its frozen rate and revision', () => {
    const served = ask({ alias });
    assert.equal(served.requested, 'helper');
    assert.deepEqual(served.target, { baseModelId: 'base-text', adapter: null });
    assert.deepEqual([served.rateMicroPerMinute, served.priceVersion, served.revision], [7n, 'then', 3]);
    assert.equal(served.limits.maxContextTokens, 4096);
  });

  test('a base model runs at the rate of the catalogue and has no revision', () => {
    const served = ask({ requested: 'base-text' });
    assert.deepEqual([served.rateMicroPerMinute, served.priceVersion, served.revision], [30_000n, 'now', null]);
  });

  test('an alias wins over a base model of the same name', () => {
    assert.equal(ask({ requested: 'base-embed', alias }).baseModel.id, 'base-text');
  });

  test('embedding models take 2 inputs of 512 tokens, 512 together, and carry their instruction', () => {
    const served = ask({ alias: { ...alias, targetId: 'base-embed' } });
    const { maxInputTokens, maxInputs, requestTokenBudget } = served.limits;
    assert.deepEqual([maxInputTokens, maxInputs, requestTokenBudget], [512, 2, 512]);
    assert.equal(served.queryInstruction, 'Find it');
  });

  test('somebody else than the owner may call public aliases only, and cannot tell private from absent', () => {
    assert.ok(ask({ isOwner: false, alias: { ...alias, visibility: 'public' } }));
    const off = { ...alias, visibility: 'public' as const, state: 'inactive' as const };
    const messages = [null, alias, { ...alias, visibility: 'shared' as const }, off].map((row) => {
      try {
        ask({ isOwner: false, alias: row });
        return 'served';
      } catch (error) {
        return String(error);
      }
    });
    assert.equal(new Set(messages).size, 1);
    assert.doesNotMatch(messages[0] ?? '', /served/);
    refuses({ isOwner: false, alias }, 'model_not_found', /no model "helper"/);
  });

  test('a share opens an alias that is shared, and no private or inactive one', () => {
    const shared = { ...alias, visibility: 'shared' as const };
    const served = ask({ isOwner: false, isShared: true, alias: shared });
    assert.deepEqual([served.rateMicroPerMinute, served.priceVersion], [7n, 'then']);
    refuses({ isOwner: false, isShared: true, alias }, 'model_not_found', /no model "helper"/);
    const off = { ...shared, state: 'inactive' as const };
    refuses({ isOwner: false, isShared: true, alias: off }, 'model_not_found', /no model "helper"/);
  });

  test('an alias that is being activated is warming for those who may call it, and unknown to others', () => {
    const warming = { ...alias, state: 'warming' as const };
    const seconds = (etaMs: number | null) => {
      try {
        ask({ alias: warming, etaMs: () => etaMs });
      } catch (error) {
        assert.ok(error instanceof Fault && error.fault === 'model_warming', String(error));
        return error.options.retryAfterSeconds;
      }
      return assert.fail('was served');
    };
    assert.deepEqual([seconds(null), seconds(0), seconds(4_100), seconds(600_000)], [2, 1, 5, 59]);
    const shared = { ...warming, visibility: 'shared' as const };
    refuses({ isOwner: false, isShared: true, alias: shared }, 'model_warming', /being activated/);
    refuses({ isOwner: false, alias: shared }, 'model_not_found', /no model "helper"/);
  });

  test('a base model called by somebody else than the owner is 403 owner_required', () => {
    refuses({ requested: 'base-text', isOwner: false }, 'owner_required', /Only the owner/);
  });

  test('inactive aliases, unknown names and training jobs are 404 model_not_found', () => {
    refuses(
      { alias: { ...alias, state: 'inactive' as const } },
      'model_not_found',
      /"helper" of this project is not active/,
    );
    refuses({ requested: 'nothing' }, 'model_not_found', /no model "nothing"/);
    refuses({ requested: 'nothing', isOwner: false }, 'model_not_found', /no model "nothing"/);
    refuses({ requested: 'training-job#job_1' }, 'model_not_found', /no finished training job "job_1"/);
    refuses({ requested: 'training-job#', alias }, 'model_not_found', /no finished training job ""/);
    refuses({ alias: { ...alias, targetType: 'training_job' } }, 'model_not_found', /no model that can be served/);
  });

  test('a finished job runs its adapter within what it was trained for, by its id and by an alias, for whoever may call it', () => {
    const adapter = { sha256: 'b', path: '/b.gguf' };
    const trained = {
      jobId: 'job_1',
      kind: 'embedding' as const,
      baseModelId: 'base-embed',
      state: 'succeeded',
      adapter,
      maxInputTokens: 1024,
      queryInstruction: null,
    };
    const byId = { requested: 'training-job#job_1', trained };
    const served = ask(byId);
    assert.deepEqual(served.target, { baseModelId: 'base-embed', adapter });
    assert.deepEqual([served.queryInstruction, served.revision, served.rateMicroPerMinute], [null, null, 30_000n]);
    const { maxInputTokens, maxInputs, requestTokenBudget } = served.limits;
    assert.deepEqual([maxInputTokens, maxInputs, requestTokenBudget], [1024, 2, 1024]);
    const ofJob = { ...alias, targetType: 'training_job' as const, targetId: 'job_1', baseModelId: 'base-embed' };
    const shared = ask({ alias: { ...ofJob, visibility: 'public' as const }, isOwner: false, trained });
    assert.deepEqual([shared.target.adapter, shared.revision, shared.rateMicroPerMinute], [adapter, 3, 7n]);
    assert.deepEqual(ask({ ...byId, isOwner: false }), served);
    refuses({ ...byId, trained: { ...trained, adapter: null } }, 'model_not_found', /no finished training job/);
  });

  test('a model that is listed but not installed names the command that installs it', () => {
    refuses({ requested: 'base-absent' }, 'model_not_installed', /not installed.*: fanfold models pull base-absent$/);
    refuses(
      { alias: { ...alias, targetId: 'base-absent' } },
      'model_not_installed',
      /fanfold models pull base-absent$/,
    );
    refuses(
      { requested: 'base-gone' },
      'model_not_installed',
      /fanfold models add base-gone --kind text --gguf FILE --force$/,
    );
    refuses(
      { alias: { ...alias, targetId: 'removed' } },
      'model_not_installed',
      /fanfold models add removed --kind KIND --gguf FILE$/,
    );
  });

  test('any string gives a served model or a fault with a message of one bounded line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), fc.boolean(), (requested, isOwner) => {
        try {
          ask({ requested, isOwner });
        } catch (error) {
          assert.ok(error instanceof Fault);
          assert.ok(error.message.length < 700 && !error.message.includes('\n'));
        }
      }),
    );
  });
});
