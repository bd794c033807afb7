import { defineConfig } from 'vite'

/** Aliases React to Preact, which needs no plugin. In development, a proxy leads to a running service. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  resolve: {
    alias: {
      'react-dom/test-utils': 'preact/test-utils',
      'react-dom': 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
      react: 'preact/compat',
    },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../build/console',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // The "use client" directive is for server rendering, which is not used here.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
      },
    },
  },
  server: {
    proxy: {
      // The service compares the Host header with the origin of the page.
      '/console/api': { target: 'http://127.0.0.1:8080', changeOrigin: false },
      '/v1': { target: 'http://127.0.0.1:8080', changeOrigin: false },
    },
  },
})
