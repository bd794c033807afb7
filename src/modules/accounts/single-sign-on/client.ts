/**
 * The protocol with a provider: OpenID Connect with the authorization code flow, PKCE, state and nonce. The library checks
 * issuer, audience, times and, as set here, always the signature of the ID token.
 */
import { createHmac } from 'node:crypto'
import type { ClientAuth, Configuration } from 'openid-client'
import type { OutwardFetch } from '../../../platform/net/outward-fetch.ts'
import { type SignedOut, verifyLogoutToken } from './logout-token.ts'
import type { Claims, Provider } from './provider.ts'

export type Reach = Pick<Provider, 'org_id' | 'issuer' | 'client_id' | 'client_secret' | 'scopes'>

/** The parameters with which a provider sends the browser back. */
export type Callback = Readonly<Partial<Record<'code' | 'state' | 'iss' | 'error', string>>>

export type Identified = { claims: Claims; sign_out_url: string | null }

/** `canceled`: by the person or the provider. `invalid`: a response that does not prove anything. */
export type ProviderFault = 'unreachable' | 'canceled' | 'invalid'

export class ProviderError extends Error {
  readonly fault: ProviderFault

  constructor(fault: ProviderFault, cause: unknown) {
    super(`provider of sign-in: ${fault}`, { cause })
    this.fault = fault
  }
}

export type ProviderClient = {
  /**
   * @param secret of the cookie of the browser, from which state, nonce and PKCE verifier are derived
   * @throws ProviderError
   */
  urlOf(provider: Reach, secret: string, isAgain: boolean): Promise<string>
  /** @param isAgain the person has to have signed in for this. @throws ProviderError */
  identify(
    provider: Reach,
    secret: string,
    callback: Callback,
    isAgain: boolean,
  ): Promise<Identified>
  /** Verifies a token with which the provider ends sessions. @throws ProviderError */
  signedOut(provider: Reach, token: string, now: Date): Promise<SignedOut>
}

type Options = {
  public_url: string
  /** Requests to the provider of the installation, and guarded ones to those of organizations. */
  fetches: { installation: OutwardFetch; organization: OutwardFetch }
}

const TIMEOUT_SECONDS = 10
/** Long enough for a consent page after the password. */
const AGAIN_MAX_SECONDS = 300
const SERVER_ERROR = 500
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Loaded with the first use, because most starts need none. */
const library = async () => await import('openid-client')

export function createProviderClient({ public_url, fetches }: Options): ProviderClient {
  const root = public_url.replace(/\/+$/, '')
  const fetchOf = ({ org_id }: Reach): OutwardFetch =>
    detected(org_id === undefined ? fetches.installation : fetches.organization)
  const discover = async (provider: Reach): Promise<Configuration> => {
    const oidc = await library()
    const { issuer, client_id, client_secret } = provider
    const server = new URL(issuer)
    const basic = oidc.ClientSecretBasic(client_secret)
    const post = oidc.ClientSecretPost(client_secret)
    const authenticate: ClientAuth = (as, ...request) => {
      const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      return (methods.includes('client_secret_basic') ? basic : post)(as, ...request)
    }
    return await oidc.discovery(server, client_id, undefined, authenticate, {
      timeout: TIMEOUT_SECONDS,
      [oidc.customFetch]: fetchOf(provider),
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(isPlainAllowed(server) ? [oidc.allowInsecureRequests] : []),
      ],
    })
  }
  // A response for one provider must never be sent to another (RFC 9700, 4.4.2).
  const redirectUriOf = ({ org_id }: Reach) => redirectUri(root, org_id)

  return {
    urlOf: async (provider, secret, isAgain) =>
      await translated(async () => {
        const oidc = await library()
        const config = await discover(provider)
        const { state, nonce, verifier } = derived(secret)
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUriOf(provider),
          scope: provider.scopes,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
          ...(isAgain && { prompt: 'login', max_age: '0' }),
        })
        return addressOf(url)
      }),
    identify: async (provider, secret, callback, isAgain) => {
      if (callback.error !== undefined) throw new ProviderError('canceled', callback.error)
      return await translated(async () => {
        const oidc = await library()
        const config = await discover(provider)
        const { state, nonce, verifier } = derived(secret)
        const current = new URL(redirectUriOf(provider))
        for (const [name, value] of Object.entries(callback)) current.searchParams.set(name, value)
        const tokens = await oidc.authorizationCodeGrant(config, current, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          ...(isAgain && { maxAge: AGAIN_MAX_SECONDS }),
        })
        const claims = tokens.claims()
        if (!claims) throw new Error('There is no ID token')
        const { userinfo_endpoint, end_session_endpoint } = config.serverMetadata()
        const isComplete = claims['email'] !== undefined || userinfo_endpoint === undefined
        const more = isComplete
          ? {}
          : await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
        return {
          claims: { ...more, ...claims },
          sign_out_url:
            end_session_endpoint === undefined
              ? null
              : addressOf(
                  oidc.buildEndSessionUrl(config, {
                    post_logout_redirect_uri: `${root}/console/sign-in`,
                    ...(tokens.id_token !== undefined && { id_token_hint: tokens.id_token }),
                  }),
                ),
        }
      })
    },
    signedOut: async (provider, token, now) =>
      await translated(async () => {
        const { client_id } = provider
        const { issuer, jwks_uri = '' } = (await discover(provider)).serverMetadata()
        const keys_url = new URL(addressOf(new URL(jwks_uri)))
        const expected = { issuer, client_id, keys_url, fetch: fetchOf(provider), now }
        return await verifyLogoutToken(token, expected)
      }),
  }
}

/** Where the provider ends sessions. */
export const backChannelUri = (root: string, orgId: string | undefined): string =>
  `${root}/console/api/auth/provider/sign-out${orgId === undefined ? '' : `/${orgId}`}`

export const redirectUri = (root: string, orgId: string | undefined): string =>
  `${root}/console/sso/callback${orgId === undefined ? '' : `/${orgId}`}`

/** HTTP is for tests on one machine. Whether the provider of an organization may be there is decided by its address. */
export const isPlainAllowed = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && LOOPBACK.includes(hostname)

/** @throws Error unless a browser may go there: the provider could have named a script */
function addressOf(url: URL): string {
  if (url.protocol !== 'https:' && !isPlainAllowed(url)) throw new Error('Not an HTTPS URL')
  return url.href
}

/** The database knows only a hash of the secret, so it has nothing that completes a sign-in. */
function derived(secret: string): { state: string; nonce: string; verifier: string } {
  const part = (name: string) => createHmac('sha256', secret).update(name).digest('base64url')
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') }
}

/** The errors of the library have those of its requests as causes. */
async function translated<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    for (let each: unknown = error; each instanceof Error; each = each.cause) {
      if (each instanceof ProviderError) throw each
    }
    throw new ProviderError('invalid', error)
  }
}

/** Also an address that may not be reached is unreachable: owners learn nothing about the internal network. */
const detected =
  (send: OutwardFetch): OutwardFetch =>
  async (...request) => {
    const response = await send(...request).catch((error: unknown) => {
      throw new ProviderError('unreachable', error)
    })
    if (response.status >= SERVER_ERROR) throw new ProviderError('unreachable', response.status)
    return response
  }
