/**
 * Reuses RSA keys across test files. Generating one takes 0.13 s, and every emulator of a Google API
 * generates one at its start, which took a third of the time of all tests without engines. Within a file,
 * all keys differ. Vitest runs this before every test file.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

type KeyCache = { keys: object[]; used: number }

const CACHE = Symbol.for('vigil.test.rsa-keys')
const CACHED_ARGUMENTS = JSON.stringify(['rsa', { modulusLength: 2048 }])

const shared = crypto as typeof crypto & { [CACHE]?: KeyCache }
if (shared[CACHE]) {
  shared[CACHE].used = 0
} else {
  const cache: KeyCache = { keys: [], used: 0 }
  const generate = crypto.generateKeyPairSync as (...args: unknown[]) => object
  const fromCache = (...args: unknown[]): object => {
    if (JSON.stringify(args) !== CACHED_ARGUMENTS) return generate(...args)
    const key = cache.keys[cache.used] ?? generate(...args)
    cache.keys[cache.used] = key
    cache.used += 1
    return key
  }
  Object.assign(shared, { generateKeyPairSync: fromCache, [CACHE]: cache })
  syncBuiltinESMExports()
}
