/**
 * An OpenID Connect provider on loopback. People choose who they are by a click, or the test decides it; their claims can
 * be changed at any time.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import {
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { type KoaContextWithOIDC, Provider } from 'oidc-provider'

export type PersonClaims = Record<string, unknown> & { email?: string; email_verified?: boolean }

export type OidcProvider = {
  issuer: string
  client_id: string
  client_secret: string
  /** By their subject. */
  people: Map<string, PersonClaims>
  /** Signs this person in without a page; undefined shows one with a button for each. */
  person: string | undefined
  /** Methods that the provider reports. */
  amr: string[]
  /** Tokens with which it has reported that people signed out, oldest first. */
  logout_tokens: string[]
  /** A token that is signed by the key of the provider. */
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>
  /** Signs out at the provider, as a browser would after the sign-out of a client. */
  signOut(url: string, jar: Map<string, string>): Promise<void>
  /** Follows the address as a browser would. @returns the parameters of the redirect back */
  visit(url: string, jar?: Map<string, string>): Promise<Record<string, string>>
  close(): Promise<void>
}

const HOPS_MAX = 10
const BACK_CHANNEL = 'https://vigil.test/back-channel'

/** @param redirectUris known after the port, so that the address of the service can depend on it */
export async function startOidcProvider(
  redirectUris: readonly string[],
  signOutUri: string,
): Promise<OidcProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'test', use: 'sig', alg: 'RS256' }
  const logout_tokens: string[] = []
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [client_id, client_secret] = ['vigil', 'a secret that is long enough']
  const people = new Map<string, PersonClaims>()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id,
        client_secret,
        redirect_uris: [...redirectUris],
        post_logout_redirect_uris: [signOutUri],
        backchannel_logout_uri: BACK_CHANNEL,
        backchannel_logout_session_required: true,
      },
    ],
    cookies: { keys: ['for tests'] },
    claims: { openid: ['sub', 'groups', 'amr', 'auth_time'], email: ['email', 'email_verified'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          ctx.body = form
        },
      },
    },
    jwks: { keys: [key] },
    // The tests carry what is sent to the service, which has no address.
    fetch: async (url, options) => {
      const request = new Request(url, options)
      if (request.url !== BACK_CHANNEL) throw new Error(`Not expected: ${request.url}`)
      const sent = new URLSearchParams(await request.text()).get('logout_token')
      logout_tokens.push(sent ?? '')
      return new Response()
    },
    interactions: { url: (_ctx, { uid }) => `/choose/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    loadExistingGrant: grantEverything,
  })
  const running: OidcProvider = {
    issuer,
    client_id,
    client_secret,
    people,
    person: undefined,
    amr: ['pwd'],
    logout_tokens,
    sign: async (claims, header = {}) =>
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
        .sign(privateKey),
    signOut: async (url, jar) => await signOut(url, issuer, jar),
    visit: async (url, jar = new Map()) => await visit(url, issuer, jar),
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  const choose = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = new URL(request.url ?? '', issuer)
    const accountId = asked.searchParams.get('person') ?? running.person
    if (accountId === undefined) {
      const links = [...people].map(([sub]) => `<a href="?person=${sub}">Continue as ${sub}</a>`)
      response.setHeader('content-type', 'text/html').end(`<!doctype html>${links.join('')}`)
      return
    }
    const { amr } = running
    await provider.interactionFinished(request, response, { login: { accountId, amr } })
  }
  const handle = provider.callback()
  server.on('request', (request, response) => {
    void (request.url?.startsWith('/choose/')
      ? choose(request, response)
      : handle(request, response))
  })
  return running
}

async function grantEverything({ oidc }: KoaContextWithOIDC) {
  const { provider, client, session } = oidc
  const grant = new provider.Grant({
    clientId: client?.clientId ?? '',
    accountId: session?.accountId ?? '',
  })
  grant.addOIDCScope('openid email profile')
  await grant.save()
  return grant
}

/** The provider shows a form that confirms the sign-out. */
async function signOut(url: string, issuer: string, jar: Map<string, string>): Promise<void> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const asked = await fetch(url, { redirect: 'manual', headers: { cookie } })
  const form = await asked.text()
  const [, action = ''] = /action="([^"]+)"/.exec(form) ?? []
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(form) ?? []
  const set = asked.headers.getSetCookie().map((line) => line.split(';', 1).join(''))
  const answer = await fetch(new URL(action, issuer), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: [cookie, ...set].join('; ') },
    body: new URLSearchParams({ xsrf, logout: 'yes' }),
  })
  if (answer.status !== 303) throw new Error(`Not signed out: ${await answer.text()}`)
}

async function visit(
  url: string,
  issuer: string,
  jar: Map<string, string>,
): Promise<Record<string, string>> {
  let next = url
  for (let hop = 0; hop < HOPS_MAX; hop += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`No redirect (${response.status}): ${await response.text()}`)
    next = new URL(location, next).href
    if (!next.startsWith(issuer)) return Object.fromEntries(new URL(next).searchParams)
  }
  throw new Error('Too many redirects')
}
