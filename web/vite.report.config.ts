import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// One script and one style sheet, which `runvitals report` puts into the page itself.
export default defineConfig({
  plugins: [svelte()],
  publicDir: false,
  build: {
    outDir: '../src/runvitals/server/static',
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: 'src/report/main.ts', formats: ['iife'], name: 'report', fileName: () => 'report.js', cssFileName: 'report' },
  },
});
