import { defineConfig } from 'vite'

/**
 * React's names lead to Preact. No plugin is needed; whoever develops reaches a running service
 * through the proxy.
 */
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
      // "use client" is for servers that draw pages; there are none.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
      },
    },
  },
  server: {
    proxy: {
      // The service compares the host with where the page came from.
      '/console/api': { target: 'http://127.0.0.1:8080', changeOrigin: false },
      '/v1': { target: 'http://127.0.0.1:8080', changeOrigin: false },
    },
  },
})
