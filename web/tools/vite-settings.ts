import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';
import { earlyLoads } from './early-loads.ts';

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
    plugins: [react(), earlyLoads()],
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
        output: {
          codeSplitting: {
            groups: [
              // Changes rarely, so browsers keep it over updates of ours.
              { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 2 },
              { name: 'tanstack', test: /node_modules[\\/]@tanstack[\\/](?!react-virtual|virtual-core)/, priority: 2 },
              // What every page loads comes in one file: each further one costs a way to the server and back.
              { name: 'shell', tags: ['$initial'], priority: 1 },
              { name: 'parts', test: /@mantine|web[\\/]src[\\/](ui|i18n|charts)[\\/]/, minShareCount: 4 },
            ],
          },
        },
      },
    },
  };
}
