import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import { createSimSwapProvider } from './carriers.ts'

const SIM_SWAP = {
  VIGIL_SIM_SWAP_URL: 'https://operator.example/sim-swap/v2',
  VIGIL_SIM_SWAP_TOKEN_URL: 'https://operator.example/token',
  VIGIL_SIM_SWAP_CLIENT_ID: 'client',
  VIGIL_SIM_SWAP_AUTH: 'private_key_jwt',
}

const create = (privateKey: string) =>
  createSimSwapProvider(
    readConfig({ ...SIM_SWAP, VIGIL_SIM_SWAP_PRIVATE_KEY: privateKey }),
    systemClock,
  )

describe('VIGIL_SIM_SWAP_PRIVATE_KEY', () => {
  it('may have its line breaks written as \\n', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    expect(create(pem.replaceAll('\n', '\\n'))).toBeDefined()
  })

  it.each(['nonsense', '-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE KEY-----'])(
    'that is %s is refused by the name of the setting, and not shown',
    (text) => {
      expect(() => create(text)).toThrow(ConfigError)
      expect(() => create(text)).toThrow(
        /^VIGIL_SIM_SWAP_PRIVATE_KEY is not a private key in PEM \(PKCS #8, without a passphrase\)\.$/,
      )
    },
  )
})
