import { defineConfig } from 'vitest/config'

/** `npm run screenshots -- --out FOLDER`: pictures of the most used pages, to compare two checkouts. */
export default defineConfig({
  test: {
    include: ['test/console/**/*.pictures.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
})
