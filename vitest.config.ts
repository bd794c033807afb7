import { defineConfig } from 'vitest/config'

/** Files share one process per worker (isolate: false): no module-level state anywhere. */
export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'emulators/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
      'eval/**/*.test.ts',
      'sdk/**/*.test.ts',
      'console/**/*.test.ts',
      'demo/**/*.test.ts',
    ],
    globalSetup: ['test/global-setup.ts'],
    isolate: false,
    pool: 'threads',
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
