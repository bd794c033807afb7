import * as native from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { ARGON2_PARAMETERS, createArgon2 } from './argon2.ts'

const engines = {
  native: createArgon2(),
  WebAssembly: createArgon2(ARGON2_PARAMETERS, () => Promise.reject(new Error('not installed'))),
}
const PASSWORD = 'Straße 5 – correct horse'

describe('argon2', () => {
  it.each([
    ['native', 'WebAssembly'],
    ['WebAssembly', 'native'],
    ['WebAssembly', 'WebAssembly'],
  ] as const)('hashes of %s are verified by %s', async (writer, reader) => {
    const hash = await engines[writer].hash(PASSWORD)
    expect(await engines[reader].verify(hash, PASSWORD)).toBe(true)
    expect(await engines[reader].verify(hash, `${PASSWORD} `)).toBe(false)
  })

  it('has the same parameters and sizes in both', async () => {
    const [one, other] = await Promise.all([
      engines.native.hash(PASSWORD),
      engines.WebAssembly.hash(PASSWORD),
    ])
    expect(native.parseOptions(other)).toEqual(native.parseOptions(one))
    expect(other.length).toBe(one.length)
    expect(await engines.WebAssembly.hash(PASSWORD)).not.toBe(other)
  })
})
