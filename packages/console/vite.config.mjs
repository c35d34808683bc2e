import { defineConfig } from 'vite';

/** Directives for React servers, which libraries contain and Rollup leaves out. */
const NOT_A_PROBLEM = 'MODULE_LEVEL_DIRECTIVE';

export default defineConfig({
  base: '/console/',
  esbuild: { jsx: 'automatic' },
  build: {
    target: 'es2022',
    // The policy of the server allows no data: URLs but those of images.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rollupOptions: { onwarn: (warning, warn) => void (warning.code !== NOT_A_PROBLEM && warn(warning)) },
  },
});
