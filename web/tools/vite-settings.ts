import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { earlyLoads } from './early-loads.ts';
import { firstPaint } from './first-paint.ts';

const inFolders = (folder: RegExp, names: readonly string[]) =>
  new RegExp(`${folder.source}[\\\\/](${names.join('|')})[\\\\/.]`);
const component = (...names: string[]) => inFolders(/@mantine[\\/]core.*components/, names);
const own = (...names: string[]) => inFolders(/web[\\/]src[\\/]ui/, names);

/** What nearly every page shows at once, with what that stands on. */
const parts = [
  /web[\\/]src[\\/](i18n|charts)[\\/]/,
  own(
    'part',
    'panel',
    'empty',
    'figure-row',
    'app-link',
    'text-link',
    'button-link',
    'toolbar',
    'rows-skeleton',
    'segmented-control',
    'later',
    'kind',
  ),
  component('Group', 'Stack', 'Text', 'Anchor', 'Paper', 'Skeleton', 'Badge', 'Progress'),
];
const fields = [
  own('search-field', 'growing-textarea'),
  /web[\\/]src[\\/]api[\\/]use-draft/,
  component('Input', 'InputBase', 'TextInput', 'Textarea', 'NativeSelect'),
];
const forms = [/@mantine[\\/]form/, component('Checkbox', 'Radio', 'Switch')];
/** What lies over a page when it is asked for. */
const overlays = [
  /@floating-ui|react-remove-scroll|@mantine[\\/]notifications/,
  own('dialog', 'confirm', 'copy-button', 'when'),
  component('Menu', 'Popover', 'Tooltip', 'Modal', 'Drawer'),
];
const anyOf = (patterns: readonly RegExp[]) => new RegExp(patterns.map(({ source }) => source).join('|'));

/** One configuration for the build and the development server. */
export function viteSettings(): InlineConfig & { build: NonNullable<InlineConfig['build']> } {
  return {
    configFile: false,
    envDir: false,
    root: join(import.meta.dirname, '..'),
    // Relative: a proxy may show the service under a path.
    base: './',
    publicDir: false,
    logLevel: 'warn',
    clearScreen: false,
    cacheDir: join(import.meta.dirname, '../../.cache/vite'),
    plugins: [react(), firstPaint(), earlyLoads()],
    build: {
      target: ['chrome111', 'edge111', 'firefox114', 'safari16.4'],
      // Files only: the content security policy lets nothing else in.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // All of it is small beside what is to be gained: pages come with their styles, in one file.
      cssCodeSplit: false,
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: {
        // The door of a room names much more than each page needs: what is not used is not loaded.
        treeshake: {
          moduleSideEffects: [{ test: /web[\\/]src[\\/]rooms[\\/][^\\/]+[\\/]index\.ts$/, sideEffects: false }],
        },
        output: {
          codeSplitting: {
            // In this order: one takes with it what it stands on, unless that has gone elsewhere already.
            groups: [
              // Changes rarely, so browsers keep it over updates of ours.
              { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 7 },
              { name: 'tanstack', test: /node_modules[\\/]@tanstack[\\/](?!react-virtual|virtual-core)/, priority: 7 },
              // What every page loads comes in one file: each further one costs a way to the server and back.
              { name: 'shell', tags: ['$initial'], priority: 6 },
              { name: 'parts', test: anyOf(parts), minShareCount: 2, priority: 5 },
              { name: 'fields', test: anyOf(fields), minShareCount: 2, priority: 4 },
              { name: 'forms', test: anyOf(forms), minShareCount: 2, priority: 4 },
              { name: 'overlays', test: anyOf(overlays), minShareCount: 2, priority: 3 },
              {
                name: 'playground',
                test: /web[\\/]src[\\/]rooms[\\/]playground[\\/](?!.*code)/,
                minShareCount: 2,
                priority: 2,
              },
              {
                name: 'projects',
                test: /web[\\/]src[\\/]rooms[\\/]projects[\\/]project/,
                minShareCount: 2,
                priority: 2,
              },
              { name: 'more', test: /@mantine|web[\\/]src[\\/]ui[\\/]/, minShareCount: 4 },
            ],
          },
        },
      },
    },
  };
}
