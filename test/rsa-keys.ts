/**
 * Reuses RSA keys across test files, workers and runs. Generating one takes 0.13 s, and every emulator of a Google API
 * generates one at its start, which took a third of the time of all tests without engines. Within a file,
 * all keys differ. Vitest runs this before every test file.
 */
import crypto from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { packageRoot } from '../src/platform/package-root.ts'

type KeyCache = { keys: object[]; used: number }

const CACHE = Symbol.for('vigil.test.rsa-keys')
/** Is ignored by git. The keys are good for nothing but tests. */
const FOLDER = join(packageRoot(), 'build', 'test-rsa-keys')
const CACHED_ARGUMENTS = JSON.stringify(['rsa', { modulusLength: 2048 }])

const shared = crypto as typeof crypto & { [CACHE]?: KeyCache }
if (shared[CACHE]) {
  shared[CACHE].used = 0
} else {
  const cache: KeyCache = { keys: [], used: 0 }
  const generate = crypto.generateKeyPairSync as (...args: unknown[]) => object
  const fromCache = (...args: unknown[]): object => {
    if (JSON.stringify(args) !== CACHED_ARGUMENTS) return generate(...args)
    const key = cache.keys[cache.used] ?? storedKey(cache.used, () => generate(...args))
    cache.keys[cache.used] = key
    cache.used += 1
    return key
  }
  Object.assign(shared, { generateKeyPairSync: fromCache, [CACHE]: cache })
  syncBuiltinESMExports()
}

/** @param generate called for a key that no test has used before */
function storedKey(index: number, generate: () => object): object {
  const path = join(FOLDER, `${index}.pem`)
  try {
    const privateKey = crypto.createPrivateKey(readFileSync(path))
    return { privateKey, publicKey: crypto.createPublicKey(privateKey) }
  } catch {
    const key = generate() as crypto.KeyPairKeyObjectResult
    mkdirSync(FOLDER, { recursive: true })
    // Another worker may read or write the same key now.
    const partial = `${path}.${crypto.randomUUID()}`
    const options = { type: 'pkcs8', format: 'pem' } as const
    writeFileSync(partial, key.privateKey.export(options), { mode: 0o600 })
    renameSync(partial, path)
    return key
  }
}
