/** The provider of an organization, which owners set, test and require, and admins see. */
import { type Static, Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { invalidRequest, notFound, unavailable } from '../../../platform/http/errors.ts'
import { found } from '../../../platform/http/found.ts'
import { choice } from '../../../platform/http/schemas.ts'
import type { SingleSignOnState } from '../schema.ts'
import { createCookies } from '../sessions/console.ts'
import { REQUIRED_PROVIDERS, ROLES } from '../tables.ts'
import { backChannelUri, redirectUri } from './client.ts'
import { answer, readNext, type SingleSignOnDependencies } from './console.ts'
import { recordName, recordValue } from './domain-proof.ts'
import { DOMAINS_MAX, type DomainAdded, type SignInDomains } from './domains.ts'
import type { ProviderChange, RequirementChange, SignInProviders } from './providers.ts'

const PATH = '/console/api/organization/single-sign-on'
const OWNER = { access: { member: 'owner' }, rate_class: 'console' } as const
const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const CHANGES = { ...OWNER, fresh_factor: true } as const

const TEXT_MAX_CHARS = 500
const URL_MAX_CHARS = 2048
const SECRET_MAX_CHARS = 2048
const ROLES_MAX = 100
const DOMAIN_PATTERN = '^(?=.{1,253}$)[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$'

const text = Type.String({ minLength: 1, maxLength: TEXT_MAX_CHARS })
const role = choice(ROLES)
const domain = Type.String({
  pattern: DOMAIN_PATTERN,
  'x-wanted': 'a domain, such as shop.example',
})
const provider = Type.Object({
  issuer: Type.String({ minLength: 1, maxLength: URL_MAX_CHARS }),
  client_id: text,
  client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: SECRET_MAX_CHARS })),
  scopes: Type.Optional(text),
  email_domains: Type.Array(domain, { maxItems: DOMAINS_MAX }),
  role_claim: Type.Union([text, Type.Null()]),
  roles: Type.Array(Type.Object({ group: text, role }), { maxItems: ROLES_MAX }),
  default_role: Type.Union([role, Type.Null()]),
  trusts_factor: Type.Boolean(),
})
const requirement = Type.Object({
  required_provider: Type.Union([choice(REQUIRED_PROVIDERS), Type.Null()]),
  break_glass_user_id: Type.Optional(Type.String({ maxLength: 64 })),
})
const SCOPES_DEFAULT = 'openid email profile'

type Dependencies = Omit<SingleSignOnDependencies, 'accounts'> & {
  accounts: SignInProviders
  domains: SignInDomains
}

export function organizationProviderRoutes(app: App, deps: Dependencies): void {
  const { accounts, domains, single_sign_on, public_url, provider_name = null } = deps
  const cookies = createCookies(deps)
  const describe = async (orgId: string): Promise<SingleSignOnState> => {
    const root = public_url?.replace(/\/+$/, '')
    return {
      ...found(await accounts.describeSingleSignOn(orgId)),
      domain_record: recordValue(orgId),
      redirect_uri: root === undefined ? null : redirectUri(root, orgId),
      back_channel_uri: root === undefined ? null : backChannelUri(root, orgId),
      installation: provider_name,
    }
  }

  app.get(PATH, { config: ADMIN }, async ({ member }) =>
    envelope('Single sign-on', await describe(member.org_id)),
  )

  app.put(PATH, { config: CHANGES, schema: { body: provider } }, async ({ member, body }) => {
    const input = { ...body, scopes: readScopes(body) }
    refuseChange(await accounts.setProvider(member.org_id, input, member.user_id))
    return envelope('Provider saved', await describe(member.org_id))
  })

  app.delete(PATH, { config: CHANGES }, async ({ member }) => {
    if (!(await accounts.removeProvider(member.org_id, member.user_id))) throw notFound()
    return envelope('Provider removed', await describe(member.org_id))
  })

  const required = { config: CHANGES, schema: { body: requirement } }
  app.put(`${PATH}/requirement`, required, async ({ member, body }) => {
    const { required_provider, break_glass_user_id = null } = body
    const next = { required_provider, break_glass_user_id }
    refuseRequirement(await accounts.requireProvider(member.org_id, next, member.user_id))
    return envelope('Sign-in changed', await describe(member.org_id))
  })

  const added = { config: CHANGES, schema: { body: Type.Object({ domain }) } }
  app.post(`${PATH}/domains`, added, async ({ member, body }) => {
    const name = body.domain.toLowerCase()
    refuseDomain(await domains.addDomain(member.org_id, name, member.user_id), member.org_id, name)
    return envelope('Domain added', await describe(member.org_id))
  })

  const one = { config: CHANGES, schema: { params: Type.Object({ domain: Type.String() }) } }
  app.delete(`${PATH}/domains/:domain`, one, async ({ member, params }) => {
    const { org_id, user_id } = member
    if (!(await domains.removeDomain(org_id, params.domain, user_id))) throw notFound()
    return envelope('Domain removed', await describe(org_id))
  })

  app.post(`${PATH}/test`, { config: OWNER }, async (request, reply) => {
    cookies.requireConsole(request)
    const { org_id, user_id, session_id } = request.member
    if (!single_sign_on) throw invalidRequest('issuer', 'Set VIGIL_PUBLIC_URL first')
    const who = { user_id, session_id: session_id ?? '' }
    const path = readNext(`/o/${org_id}/organization/sign-in`)
    const begun = await single_sign_on.beginTest(who, org_id, path)
    if (!begun) throw notFound()
    return answer(cookies, request, reply, begun)
  })
}

function readScopes({ scopes = SCOPES_DEFAULT }: Static<typeof provider>): string {
  if (scopes.split(' ').includes('openid')) return scopes
  throw invalidRequest('scopes', 'scopes must contain openid')
}

function refuseChange(change: ProviderChange): void {
  if (change === 'not_found') throw notFound()
  if (change === 'secret_missing') {
    throw invalidRequest('client_secret', 'client_secret is needed for another issuer')
  }
  if (change === 'issuer_invalid') {
    throw invalidRequest('issuer', 'issuer must be an HTTPS URL without user, query and fragment')
  }
}

function refuseDomain(added: DomainAdded, orgId: string, name: string): void {
  if (added === 'done') return
  if (added === 'unreachable') throw unavailable('DNS')
  const record = `${recordName(name)} with the text ${recordValue(orgId)}`
  throw invalidRequest(
    'domain',
    {
      unproved: `There is no TXT record ${record}. A new record can take an hour to be visible`,
      taken: 'Another organization has this domain',
      too_many: `An organization can have ${DOMAINS_MAX} domains`,
    }[added],
  )
}

function refuseRequirement(change: RequirementChange): void {
  if (change === 'done') return
  if (change === 'not_found') throw notFound()
  const [field, message] = FAULTS[change]
  throw invalidRequest(field, message)
}

const FAULTS: Record<
  Exclude<RequirementChange, 'done' | 'not_found'>,
  readonly [string, string]
> = {
  no_provider: ['required_provider', 'Set up this provider first'],
  untested: ['required_provider', 'Test the provider before you require it'],
  no_break_glass: [
    'break_glass_user_id',
    'Name an owner who may sign in without the provider when it does not work',
  ],
  no_password: [
    'break_glass_user_id',
    'This owner signs in by a provider only, so they could not sign in without it',
  ],
}
