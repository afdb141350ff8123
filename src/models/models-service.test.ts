import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { cpuMsOf } from '#test/cpu-time.ts';
import { type SampleModel, writeSampleModel } from '#test/model-files.ts';
import { addModel } from './add-model.ts';
import { listModels, renderModelTable } from './list-models.ts';
import { openModels } from './models-service.ts';
import { removeModel } from './remove-model.ts';

const root = mkdtempSync(join(tmpdir(), 'fanfold-models-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** A server's models with a clock that moves on by a second at every look, so that each look is a real one. */
function open({ shipped = true } = {}) {
  const folder = mkdtempSync(join(root, 'case-'));
  const dataDir = join(folder, 'data');
  const cataloguePath = join(folder, 'models', 'catalogue.yaml');
  mkdirSync(dirname(cataloguePath));
  cpSync(join(import.meta.dirname, '../../models/catalogue.yaml'), cataloguePath);
  for (const name of ['tiny-chat', 'tiny-embed']) mkdirSync(join(folder, 'models', name));
  if (shipped) writeSampleModel(join(folder, 'models/tiny-chat/tiny-chat.gguf'));
  const warnings: string[] = [];
  let nowMs = 0;
  const clock = { nowMs: () => Date.now(), monotonicMs: () => (nowMs += 1000) };
  const models = openModels({ cataloguePath, dataDir, onWarning: (line) => warnings.push(line), clock });
  const file = (name: string, model: SampleModel = {}) => {
    writeSampleModel(join(folder, name), model);
    return join(folder, name);
  };
  return { models, warnings, file, folder };
}

const noAliases = { listUsesOf: async () => [] };

describe('models of a server', () => {
  test('a shipped model is installed when its file is there, and noticed when it comes or goes', () => {
    const { models, folder } = open();
    assert.ok(models.find('fanfold-tiny-chat')?.installed);
    assert.equal(models.find('fanfold-tiny-embed')?.installed, null);
    assert.deepEqual(
      models.engineModels().map(({ id }) => id),
      ['fanfold-tiny-chat'],
    );
    writeSampleModel(join(folder, 'models/tiny-embed/tiny-embed.gguf'), { kind: 'embedding' });
    assert.match(models.find('fanfold-tiny-embed')?.installed?.sha256 ?? '', /^[0-9a-f]{64}$/);
    unlinkSync(join(folder, 'models/tiny-chat/tiny-chat.gguf'));
    assert.equal(models.find('fanfold-tiny-chat')?.installed, null);
  });

  test('a model added by another process serves without a restart, and stops when removed', async () => {
    const { models, file } = open();
    assert.equal(models.find('mine'), undefined);
    const report = await addModel(models, { id: 'mine', kind: 'text', ggufPath: file('m.gguf'), rate: '0.5' });
    // It has no layers that llama.cpp could lay out.
    assert.match(report.warnings.join(), /^The memory of mine is an estimate/);
    const mine = models.find('mine');
    assert.equal(mine?.installed?.sha256, report.sha256);
    assert.equal(mine?.maxContextTokens, 32_768, 'all that the model supports');
    assert.equal(mine?.rateMicroPerMinute, 500_000n);
    assert.equal(mine?.name, 'Sample');
    assert.deepEqual(mine?.reasoningEfforts, ['none', 'low', 'high']);
    assert.equal(models.engineModels().find(({ id }) => id === 'mine')?.maxContextTokens, 32_768);
    const removed = await removeModel(models, { id: 'mine', ...noAliases });
    assert.deepEqual(removed, { id: 'mine', deletedFile: null, deletedWeights: null });
    assert.equal(models.find('mine'), undefined);
  });

  test('an embedding model takes its dimensions from the file and one input of at most 512 tokens', async () => {
    const { models, file } = open();
    const ggufPath = file('e.gguf', { kind: 'embedding', dimensions: 24 });
    await addModel(models, { id: 'e', kind: 'embedding', ggufPath, queryInstruction: 'query: {query}' });
    const model = models.find('e');
    assert.deepEqual(
      [model?.dimensions, model?.maxInputTokens, model?.maxContextTokens, model?.queryInstruction],
      [24, 512, 512, 'query: {query}'],
    );
    assert.equal(model?.rateMicroPerMinute, models.catalogue.defaultRateOf(3 * 24));
  });

  test('an id is not replaced without force', async () => {
    const { models, file } = open();
    const ggufPath = file('m.gguf');
    await addModel(models, { id: 'mine', kind: 'text', ggufPath });
    await assert.rejects(addModel(models, { id: 'mine', kind: 'text', ggufPath }), /already there.*--force/);
    await addModel(models, { id: 'mine', kind: 'text', ggufPath, contextTokens: 100, force: true });
    assert.equal(models.find('mine')?.maxContextTokens, 100);
  });

  test('ids, rates, contexts and files that cannot be are refused in one line, and nothing is registered', async () => {
    const { models, file, folder } = open();
    const ggufPath = file('m.gguf');
    const cases: [Parameters<typeof addModel>[1], RegExp][] = [
      [{ id: '../x', kind: 'text', ggufPath }, /not a model id/],
      [{ id: 'Mine', kind: 'text', ggufPath }, /not a model id/],
      [{ id: 'training-job#1', kind: 'text', ggufPath }, /not a model id/],
      [{ id: 'fanfold-tiny-chat', kind: 'text', ggufPath, force: true }, /ships with Fanfold/],
      [{ id: 'qwen3-0.6b', kind: 'embedding', ggufPath }, /of the catalogue is of kind text/],
      [{ id: 'qwen3-0.6b', kind: 'text', ggufPath, rate: '1' }, /only --gguf can be given/],
      [{ id: 'qwen3-0.6b', kind: 'text', ggufPath }, /has 384 parameters; qwen3-0.6b has 596049920/],
      [{ id: 'm', kind: 'text', ggufPath, rate: '-1' }, /is not a rate/],
      [{ id: 'm', kind: 'text', ggufPath, rate: '0.0000001' }, /is not a rate/],
      [{ id: 'm', kind: 'text', ggufPath, contextTokens: 0 }, /context must be/],
      [{ id: 'm', kind: 'text', ggufPath, queryInstruction: 'x' }, /takes no query instruction/],
      [{ id: 'm', kind: 'text', ggufPath: join(folder, 'none.gguf') }, /^There is no file .*none\.gguf\.$/],
      [{ id: 'm', kind: 'text', ggufPath: folder }, /is not a file/],
    ];
    for (const [options, message] of cases) {
      await assert.rejects(addModel(models, options), (error: Error) => {
        assert.equal(error.name, 'ModelError');
        assert.match(error.message, message);
        assert.match(error.message, /^[^\n]+$/);
        return true;
      });
    }
    assert.equal(models.baseModels().length, 5);
  });

  test('a data folder that cannot be written to is told in one line', async () => {
    const { models, file, folder } = open();
    writeFileSync(join(folder, 'data'), 'a file where the folder should be');
    await assert.rejects(addModel(models, { id: 'm', kind: 'text', ggufPath: file('m.gguf') }), {
      name: 'ModelError',
      message: /^Cannot read .*ENOTDIR[^\n]*$/,
    });
  });

  test('a file that is changed or removed after it was registered is not served', async () => {
    const { models, file, warnings } = open();
    const ggufPath = file('m.gguf');
    await addModel(models, { id: 'mine', kind: 'text', ggufPath });
    assert.ok(models.find('mine')?.installed);
    appendFileSync(ggufPath, 'x');
    assert.equal(models.find('mine')?.installed, null);
    assert.match(warnings.join('\n'), /has changed since it was registered/);
    unlinkSync(ggufPath);
    assert.equal(models.find('mine')?.installed, null);
    assert.match(warnings.join('\n'), /is gone/);
  });

  test('a damaged registry is a warning, and the models known before stay', async () => {
    const { models, file, warnings } = open();
    await addModel(models, { id: 'mine', kind: 'text', ggufPath: file('m.gguf') });
    assert.ok(models.find('mine'));
    writeFileSync(models.registryPath, '{');
    assert.ok(models.find('mine')?.installed);
    assert.match(warnings.join('\n'), /damaged.*stay in use/);
  });

  test('a model that an active alias uses is removed only with force; shipped and unknown ones are not', async () => {
    const { models, file } = open();
    await addModel(models, { id: 'mine', kind: 'text', ggufPath: file('m.gguf') });
    const used = { id: 'mine', listUsesOf: async () => ['local/chat/helper'] };
    await assert.rejects(removeModel(models, used), /used by local\/chat\/helper.*--force/);
    await removeModel(models, { ...used, force: true });
    assert.equal(models.find('mine'), undefined);
    await assert.rejects(removeModel(models, { id: 'fanfold-tiny-chat', ...noAliases }), /ships with Fanfold/);
    await assert.rejects(removeModel(models, { id: 'qwen3-0.6b', ...noAliases }), /is not installed/);
    await assert.rejects(removeModel(models, { id: 'nothing', ...noAliases }), /no model "nothing"/);
  });

  test('the list shows every model with its size, context and rate', () => {
    const { models } = open();
    const planned = { model: { ram: 151_000_000, vram: 0 }, adapters: { ram: 380_000_000, vram: 0 }, runsOn: 'CPU' };
    const memory = new Map([['fanfold-tiny-chat', planned]]);
    const lines = renderModelTable(listModels(models, memory)).split('\n');
    assert.equal(lines.length, 6);
    assert.match(
      lines[0] ?? '',
      /^ID +KIND +INSTALLED +SIZE +MEMORY +CONTEXT +DIMENSIONS +RATE +FROM +TRAINING +RUNS ON$/,
    );
    assert.match(
      lines[1] ?? '',
      /^fanfold-tiny-chat +text +yes +[\d.]+ kB +151 MB \+ 380 MB +4096 +- +0\.030000 +shipped +weights missing +CPU$/,
    );
    assert.match(
      lines[5] ?? '',
      /^qwen3-embedding-4b +embedding +no +- +- +2048 +2560 +0\.030000 +hub +both missing +-$/,
    );
  });

  test('between looks a question costs no system call', () => {
    const { models } = open();
    const frozen = openModels({
      cataloguePath: join(import.meta.dirname, '../../models/catalogue.yaml'),
      dataDir: dirname(dirname(models.registryPath)),
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
    });
    assert.equal(frozen.baseModels(), frozen.baseModels());
    const ms = cpuMsOf(() => {
      for (let i = 0; i < 100_000; i++) frozen.find('fanfold-tiny-chat');
    });
    // A system call each would take five times as long.
    assert.ok(ms < 2_000, `${ms} ms`);
  });
});
