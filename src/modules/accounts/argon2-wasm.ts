/**
 * argon2id as WebAssembly, which runs on every system. It uses the thread of the requests for about twice the
 * time of the native library.
 */
import { randomBytes } from 'node:crypto'
import { argon2id, argon2Verify } from 'hash-wasm'
import type { PasswordEngine } from './password-engine.ts'

/** Sizes that the native library uses. */
const SALT_BYTES = 16
const HASH_BYTES = 32

export type Argon2Parameters = {
  /** In KiB. */
  memoryCost: number
  timeCost: number
  parallelism: number
}

export function createWasmArgon2(parameters: Argon2Parameters): PasswordEngine {
  const { memoryCost: memorySize, timeCost: iterations, parallelism } = parameters
  return {
    hash: async (password) =>
      await argon2id({
        password,
        salt: randomBytes(SALT_BYTES),
        memorySize,
        iterations,
        parallelism,
        hashLength: HASH_BYTES,
        outputType: 'encoded',
      }),
    verify: async (hash, password) => await argon2Verify({ password, hash }),
  }
}
