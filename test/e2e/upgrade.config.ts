import { defineConfig } from 'vitest/config'

/** The test of an upgrade between running nodes, from the version that UPGRADE_FROM names. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.upgrade.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
})
