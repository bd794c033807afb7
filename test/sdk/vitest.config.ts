import { defineConfig } from 'vitest/config'

/** Runs the tests of the Python client with a python3 of the machine, against the real service. */
export default defineConfig({
  test: {
    include: ['test/sdk/*.python.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/rsa-keys.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
})
