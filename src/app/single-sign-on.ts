/** Single sign-on: the provider of the settings, and how those of organizations are reached. */

import type { Config } from '../config.ts'
import {
  type Accounts,
  createProviderClient,
  createSingleSignOn,
  type Provider,
  type Role,
} from '../modules/accounts/index.ts'
import { addressBytes, addressRange, isInRange } from '../platform/net/address-bytes.ts'
import { forbiddenRange } from '../platform/net/forbidden-address.ts'
import { createOutwardAgent } from '../platform/net/outward.ts'
import { createOutwardFetch } from '../platform/net/outward-fetch.ts'
import { OperatorError } from '../platform/operator-error.ts'
import type { Core } from './core.ts'

const TIMEOUT_MS = 5000
const BYTES_MAX = 262_144

/** @returns undefined without `VIGIL_PUBLIC_URL`, which the redirect URI begins with */
export function openSingleSignOn(core: Core, accounts: Accounts) {
  const { directory, newId, clock, log, sealer, config } = core
  const installation = installationProvider(config)
  if (config.public_url === undefined) return undefined
  const limits = { timeout_ms: TIMEOUT_MS, bytes_max: BYTES_MAX }
  const dispatcher = createOutwardAgent((address) => isForbidden(config, address))
  const fetches = {
    installation: createOutwardFetch(limits),
    organization: createOutwardFetch({ ...limits, dispatcher }),
  }
  const client = createProviderClient({ public_url: config.public_url, fetches })
  const stores = { db: directory, newId, clock, log, sealer }
  return createSingleSignOn({ ...stores, client, accounts, installation })
}

/** Owners of organizations choose these addresses, as those of webhooks. */
function isForbidden({ oidc_allow, webhook_deny }: Config, address: string): boolean {
  const bytes = addressBytes(address)
  if (bytes === undefined) return true
  const isIn = (ranges: readonly string[]) =>
    ranges.some((text) => {
      const range = addressRange(text)
      return range !== undefined && isInRange(bytes, range)
    })
  return isIn(webhook_deny) || (forbiddenRange(bytes) !== undefined && !isIn(oidc_allow))
}

/** @throws OperatorError when the settings name a part of a provider */
export function installationProvider(config: Config): Provider | undefined {
  const { oidc_issuer: issuer, oidc_client_id: client_id, oidc_client_secret } = config
  if (issuer === undefined) return undefined
  if (!client_id || !oidc_client_secret || config.public_url === undefined) {
    throw new OperatorError(
      'VIGIL_OIDC_ISSUER needs VIGIL_OIDC_CLIENT_ID, VIGIL_OIDC_CLIENT_SECRET and VIGIL_PUBLIC_URL.',
    )
  }
  const roles = config.oidc_roles.map((text) => {
    const at = text.lastIndexOf('=')
    return [text.slice(0, at), text.slice(at + 1) as Role] as const
  })
  return {
    org_id: undefined,
    issuer,
    client_id,
    client_secret: oidc_client_secret,
    scopes: config.oidc_scopes,
    email_domains: config.oidc_email_domains,
    role_claim: config.oidc_role_claim ?? null,
    roles: Object.fromEntries(roles),
    default_role: config.oidc_default_role ?? null,
    trusts_factor: config.oidc_trusts_factor,
    joins: config.oidc_org,
    updated_at: undefined,
  }
}
