import { defineConfig } from 'vitest/config'

/** Runs the tests of the clients in Python and Kotlin with the tools of the machine, against the real service. */
export default defineConfig({
  test: {
    include: ['test/sdk/*.{python,kotlin}.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/rsa-keys.ts'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
})
