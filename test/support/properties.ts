import fc from 'fast-check';

const seed = process.env['TEST_SEED'];

// A whole run takes its seed from what it runs, so that it gives the same everywhere. Alone, a file is tried with other cases each time.
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

export { fc };
