import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The pages of the console, to dist/web. Its server is built beside them (server/).
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
