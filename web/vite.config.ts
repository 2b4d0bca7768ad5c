import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// Relative addresses throughout, so that the page also works below a proxy's prefix.
export default defineConfig({
  base: './',
  plugins: [svelte()],
  build: {
    outDir: '../src/runvitals/server/static',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:6060' } }, // a `runvitals serve` that runs beside `npm run dev`
});
