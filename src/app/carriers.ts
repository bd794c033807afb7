/** Connects the carrier look-ups that the settings enable; by default none. */
import { createPrivateKey } from 'node:crypto'
import { type Config, ConfigError } from '../config.ts'
import {
  type ClientAuth,
  createCamaraSimSwap,
  createEnumPortability,
  type PortingProvider,
  type SimSwapProvider,
} from '../modules/phone/index.ts'
import type { Clock } from '../platform/clock.ts'

export function createSimSwapProvider(config: Config, clock: Clock): SimSwapProvider | undefined {
  const { sim_swap_url: baseUrl } = config
  if (baseUrl === undefined) return undefined
  const { sim_swap_token_url: tokenUrl, sim_swap_client_id: clientId } = config
  if (tokenUrl === undefined || clientId === undefined) {
    throw new ConfigError(
      'VIGIL_SIM_SWAP_URL also needs VIGIL_SIM_SWAP_TOKEN_URL and VIGIL_SIM_SWAP_CLIENT_ID.',
    )
  }
  return createCamaraSimSwap({
    baseUrl,
    tokenUrl,
    clientId,
    auth: credentialOf(config),
    scope: config.sim_swap_scope,
    timeoutMs: config.lookup_timeout_ms,
    now: () => clock.now(),
  })
}

export function createPortabilityProvider(config: Config): PortingProvider | undefined {
  const { enum_suffix: suffix } = config
  if (suffix === undefined) return undefined
  return createEnumPortability({
    suffix,
    servers: config.dns_servers,
    timeoutMs: config.lookup_timeout_ms,
  })
}

function credentialOf(config: Config): ClientAuth {
  const { sim_swap_auth: method, sim_swap_client_secret: clientSecret } = config
  if (method !== 'private_key_jwt') {
    if (clientSecret === undefined) {
      throw new ConfigError('VIGIL_SIM_SWAP_URL also needs VIGIL_SIM_SWAP_CLIENT_SECRET.')
    }
    return { clientSecret, sendAs: method === 'client_secret_post' ? 'body' : 'header' }
  }
  const { sim_swap_private_key, sim_swap_key_id: kid, sim_swap_key_algorithm: alg } = config
  if (sim_swap_private_key === undefined) {
    throw new ConfigError(
      'VIGIL_SIM_SWAP_AUTH=private_key_jwt also needs VIGIL_SIM_SWAP_PRIVATE_KEY.',
    )
  }
  // Environment files write the line breaks of a key as \n.
  const privateKeyPem = sim_swap_private_key.replaceAll('\\n', '\n')
  if (!isPrivateKey(privateKeyPem)) {
    throw new ConfigError(
      'VIGIL_SIM_SWAP_PRIVATE_KEY is not a private key in PEM (PKCS #8, without a passphrase).',
    )
  }
  return {
    privateKeyPem,
    ...(kid !== undefined && { kid }),
    ...(alg !== undefined && { alg }),
  }
}

/** The reason is not reported, because it could quote the key. */
function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem)
    return true
  } catch {
    return false
  }
}
