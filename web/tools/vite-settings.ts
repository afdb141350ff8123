import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { earlyLoads } from './early-loads.ts';
import { firstPaint } from './first-paint.ts';

const inFolders = (folder: RegExp, names: readonly string[]) =>
  new RegExp(`${folder.source}[\\\\/](${names.join('|')})[\\\\/.]`);
const component = (...names: string[]) => inFolders(/@mantine[\\/]core.*components/, names);
const own = (...names: string[]) => inFolders(/web[\\/]src[\\/]ui/, names);

/** Components that nearly every page shows, with their dependencies. */
const components = [
  /web[\\/]src[\\/]i18n[\\/](?!problem|overflow|inactive|missing)/,
  own(
    'async-boundary',
    'panel',
    'empty-state',
    'figure-row',
    'app-link',
    'text-link',
    'button-link',
    'toolbar',
    'table-skeleton',
    'segmented-control',
    'deferred',
    'kind',
    'use-scroll-to-active-tab',
  ),
  component('Alert', 'Group', 'Stack', 'Text', 'Anchor', 'Paper', 'Skeleton', 'Badge', 'Progress'),
];
const fields = [
  own('search-field', 'growing-textarea'),
  /web[\\/]src[\\/]api[\\/]use-draft/,
  component('Input', 'InputBase', 'TextInput', 'Textarea', 'NativeSelect'),
];
const forms = [/@mantine[\\/]form/, component('Checkbox', 'Radio', 'Switch')];
/** Dialogs, menus and notices. */
const overlays = [
  /@floating-ui|react-remove-scroll|@mantine[\\/]notifications/,
  own('dialog', 'confirm', 'copy-button', 'relative-time'),
  component('Menu', 'Popover', 'Tooltip', 'Modal', 'Drawer'),
];
const anyOf = (patterns: readonly RegExp[]) => new RegExp(patterns.map(({ source }) => source).join('|'));

/** For the build and the development server. */
export function viteSettings(): InlineConfig & { build: NonNullable<InlineConfig['build']> } {
  return {
    configFile: false,
    envDir: false,
    root: join(import.meta.dirname, '..'),
    // Relative, for proxies that serve the app under a path.
    base: './',
    publicDir: false,
    logLevel: 'warn',
    clearScreen: false,
    cacheDir: join(import.meta.dirname, '../../.cache/vite'),
    plugins: [react(), firstPaint(), earlyLoads()],
    build: {
      target: ['chrome111', 'edge111', 'firefox114', 'safari16.4'],
      // The content security policy allows no data URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The styles are small, so all pages share one file.
      cssCodeSplit: false,
      chunkSizeWarningLimit: 2_000,
      rolldownOptions: {
        // An index.ts exports more than each page needs: unused exports must not be loaded.
        treeshake: {
          moduleSideEffects: [{ test: /web[\\/]src[\\/]rooms[\\/][^\\/]+[\\/]index\.ts$/, sideEffects: false }],
        },
        output: {
          codeSplitting: {
            // In order of priority: a group includes its dependencies unless an earlier one has them.
            groups: [
              // Changes rarely, so browsers can cache it across releases.
              { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 7 },
              { name: 'tanstack', test: /node_modules[\\/]@tanstack[\\/](?!react-virtual|virtual-core)/, priority: 7 },
              // One file for what every page loads: each further one costs a round trip.
              { name: 'shell', tags: ['$initial'], priority: 6 },
              { name: 'components', test: anyOf(components), minShareCount: 2, priority: 5 },
              { name: 'fields', test: anyOf(fields), minShareCount: 2, priority: 4 },
              { name: 'forms', test: anyOf(forms), minShareCount: 2, priority: 4 },
              { name: 'overlays', test: anyOf(overlays), minShareCount: 2, priority: 3 },
              { name: 'problems', test: /problem-alert|i18n[\\/](problem|overflow|inactive|missing)/, priority: 3 },
              { name: 'charts', test: /web[\\/]src[\\/]charts[\\/]/, minShareCount: 2, priority: 3 },
              {
                name: 'playground',
                test: /web[\\/]src[\\/]rooms[\\/]playground[\\/](?!.*(code|embedding|search|similarity))/,
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
