import { defineConfig } from 'vitest/config'

/** Walks through the console on `vigil demo --size large`. */
export default defineConfig({
  test: {
    include: ['test/large/**/*.large.ts'],
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 7_200_000,
  },
})
