/** Organizations with an OpenID Connect provider, and browsers that sign in there. */
import { afterAll, expect } from 'vitest'
import type { Answer, Harness } from '../harness.ts'
import { type OidcProvider, startOidcProvider } from './oidc-provider.ts'
import { createPerson } from './person.ts'

export const PUBLIC_URL = 'https://vigil.test'
const CONSOLE = { 'x-vigil-console': '1', host: 'vigil.test' }
export const SINGLE_SIGN_ON_SETTINGS = {
  VIGIL_PUBLIC_URL: PUBLIC_URL,
  VIGIL_OIDC_ALLOW: '127.0.0.1/32',
  VIGIL_RATE_LIMIT_SIGN_IN: '1000/60',
  VIGIL_RATE_LIMIT_CONSOLE: '1000/60',
}
export const SETUP = '/console/api/organization/single-sign-on'
export const BEGIN = '/console/api/auth/provider'
const DEFAULTS = {
  email_domains: [] as string[],
  role_claim: 'groups' as string | null,
  roles: [
    { group: 'admins', role: 'admin' },
    { group: 'bosses', role: 'owner' },
  ],
  default_role: 'member' as string | null,
  trusts_factor: false,
}

/** A browser: its cookies for the service, and those for the provider. */
export function newBrowser(harness: () => Harness) {
  let cookies: string[] = []
  const jar = new Map<string, string>()
  const post = async <T>(path: string, body: object, token?: string): Promise<Answer<T>> => {
    const headers = { ...CONSOLE, cookie: cookies.join('; ') }
    const options = token === undefined ? {} : { token }
    const answer = await harness().call<T>({ method: 'POST', path, body, headers, ...options })
    const set = [answer.headers['set-cookie'] ?? []].flat() as string[]
    for (const line of set) {
      const [pair = ''] = line.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      cookies = cookies.filter((each) => !each.startsWith(`${name}=`))
      if (!pair.endsWith('=')) cookies.push(pair)
    }
    return answer
  }
  const complete = async (org_id: string | undefined, callback: object) =>
    await post<Done>(`${BEGIN}/complete`, { org_id, ...callback })
  return {
    jar,
    post,
    complete,
    begin: async (body: object) => await post<{ url: string }>(BEGIN, body),
    /** The whole way. */
    signIn: async (provider: OidcProvider, org_id: string, person: string, next?: string) => {
      provider.person = person
      const begun = await post<{ url: string }>(BEGIN, { org_id, next })
      expect(begun.body.message).toBe('Sign in at the provider')
      return await complete(org_id, await provider.visit(begun.body.content.url, jar))
    },
  }
}
export type Done = {
  kind: string
  access_token: string
  next: string
  field: string
  email: string
}

export type Shop = Awaited<ReturnType<typeof newOrganization>>

/** An organization with a provider, which the test has to close. */
async function newOrganization(harness: () => Harness, changes: Partial<typeof DEFAULTS>) {
  const { org_id } = await harness().createTenant()
  const owner = await createPerson(harness(), org_id, 'owner')
  const uri = `${PUBLIC_URL}/console/sso/callback/${org_id}`
  const provider = await startOidcProvider([uri], `${PUBLIC_URL}/console/sign-in`)
  const { issuer, client_id, client_secret } = provider
  const call = async (method: 'PUT' | 'DELETE', path: string, body?: object) =>
    await harness().call<{ field: string; provider: object | null; required_provider: string }>({
      method,
      path: method === 'DELETE' ? `${path}?org_id=${org_id}` : path,
      token: owner.token,
      ...(body && { body: { org_id, ...body } }),
    })
  const save = async (more: object = {}) =>
    await call('PUT', SETUP, { issuer, client_id, client_secret, ...DEFAULTS, ...changes, ...more })
  expect((await save()).status).toBe(200)
  const members = async (token = owner.token) => {
    const read = await harness().get<{
      members: { email: string; role: string; user_id: string }[]
    }>(`/console/api/members?org_id=${org_id}`, { token })
    return read.body.content.members
  }
  const roleOf = async (email: string) => {
    const listed = await members()
    return listed.find((each) => each.email === email)?.role
  }
  const audit = async () => {
    const path = `/console/api/audit?org_id=${org_id}`
    const log = await harness().get<{ entries: { action: string; details: object }[] }>(path, {
      token: owner.token,
    })
    return log.body.content.entries
  }
  const add = (sub: string, claims: object = {}) => {
    const email = `${sub}-${org_id.slice(-6)}@shop.example`
    provider.people.set(sub, { email, email_verified: true, ...claims })
    return email
  }
  const test = async (person: string) => {
    provider.person = person
    const browser = newBrowser(harness)
    const begun = await browser.post<{ url: string }>(`${SETUP}/test`, { org_id }, owner.token)
    return await browser.complete(org_id, await provider.visit(begun.body.content.url))
  }
  const require = async (required_provider: string | null, break_glass_user_id?: string) =>
    await call('PUT', `${SETUP}/requirement`, { required_provider, break_glass_user_id })
  const remove = async () => await call('DELETE', SETUP)
  return { org_id, owner, provider, save, members, roleOf, audit, add, test, require, remove, uri }
}

/** Organizations with providers, which end with the tests of the file. */
export function useShops(harness: () => Harness) {
  const providers: OidcProvider[] = []
  afterAll(async () => {
    for (const provider of providers) await provider.close()
  })
  return async (changes: Partial<typeof DEFAULTS> = {}): Promise<Shop> => {
    const shop = await newOrganization(harness, changes)
    providers.push(shop.provider)
    return shop
  }
}

export const refusal = ({ status, body }: Answer<Done>) => [
  status,
  body.content.field,
  body.message,
]
