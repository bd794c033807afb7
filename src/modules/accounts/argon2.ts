/**
 * argon2id by the native library where npm could install it for this system, otherwise as WebAssembly. Both
 * write and read the same PHC strings, so an installation can change from one to the other.
 */

import type { Argon2Parameters } from './argon2-wasm.ts'
import type { PasswordEngine } from './password-engine.ts'

/** OWASP Password Storage Cheat Sheet: 19 MiB of memory (in KiB), 2 iterations, no parallelism. */
export const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Loads a library with the first password, because most commands need none. */
export function createArgon2(
  parameters: Argon2Parameters = ARGON2_PARAMETERS,
  importNative: typeof nativeLibrary = nativeLibrary,
): PasswordEngine {
  let loaded: Promise<PasswordEngine> | undefined
  const engine = async () => await (loaded ??= load(importNative, parameters))
  return {
    hash: async (password) => await (await engine()).hash(password),
    verify: async (hash, password) => await (await engine()).verify(hash, password),
  }
}

const nativeLibrary = async () => await import('@node-rs/argon2')

async function load(
  importNative: typeof nativeLibrary,
  parameters: Argon2Parameters,
): Promise<PasswordEngine> {
  const native = await importNative().catch(() => undefined)
  if (!native) return (await import('./argon2-wasm.ts')).createWasmArgon2(parameters)
  return {
    hash: async (password) => await native.hash(password, parameters),
    verify: async (hash, password) => await native.verify(hash, password),
  }
}
