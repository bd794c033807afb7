/** The provider of an organization and whether it is required: what owners set, and the operator. */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import { DUMMY_HASH } from '../passwords.ts'
import type { SignInProvider } from '../schema.ts'
import { findMembership, findUser, lockOrganization } from '../store.ts'
import { isPlainAllowed } from './client.ts'
import type { Provider } from './provider.ts'
import {
  deleteProvider,
  deleteSessionsOfProvider,
  findProviderRow,
  findRequirement,
  listDomains,
  type ProviderRow,
  type Requirement,
  replaceDomains,
  updateRequirement,
  upsertProvider,
} from './store.ts'

export type ProviderInput = Omit<SignInProvider, 'tested_at'> & {
  /** Undefined for the stored one, which is only sent to the stored issuer. */
  client_secret?: string | undefined
}

export type ProviderChange = 'done' | 'not_found' | 'issuer_invalid' | 'secret_missing'
export type RequirementChange =
  | 'done'
  | 'not_found'
  | 'no_provider'
  | 'untested'
  | 'no_break_glass'
  | 'no_password'

export type SignInProviders = {
  /** @returns undefined when the organization does not exist */
  describeSingleSignOn(
    orgId: string,
  ): Promise<(Requirement & { provider: SignInProvider | null; domains: string[] }) | undefined>
  /** With the secret, for the protocol. */
  openProvider(orgId: string): Promise<Provider | undefined>
  /** Another issuer ends the sessions of the one before. */
  setProvider(orgId: string, input: ProviderInput, by: string): Promise<ProviderChange>
  /** Ends its sessions, and the requirement to use it. @returns false when there is none */
  removeProvider(orgId: string, by: string): Promise<boolean>
  /** @param by the acting user; undefined for the command line */
  requireProvider(orgId: string, next: Requirement, by?: string): Promise<RequirementChange>
  /** For the operator, who confirms that the domains belong to the organization. */
  setDomains(orgId: string, domains: readonly string[]): Promise<'done' | 'not_found' | 'taken'>
}

export type ProviderOptions = {
  db: Database
  newId: NewId
  clock: Clock
  sealer: Sealer
  /** Whether the settings name a provider. */
  has_provider?: boolean
}

const contextOf = (orgId: string): string => `sign_in_provider:${orgId}`

export function createSignInProviders(options: ProviderOptions): SignInProviders {
  const { db, sealer, clock } = options
  return {
    describeSingleSignOn: async (orgId) => {
      const requirement = isUuid(orgId) ? await findRequirement(db, orgId) : undefined
      if (!requirement) return undefined
      const row = await findProviderRow(db, orgId)
      return {
        ...requirement,
        provider: row ? described(row) : null,
        domains: await listDomains(db, orgId),
      }
    },
    openProvider: async (orgId) => {
      const row = isUuid(orgId) ? await findProviderRow(db, orgId) : undefined
      if (!row) return undefined
      const { sealed, tested_at: _, ...rest } = row
      const client_secret = (await sealer.open(sealed, contextOf(orgId))).toString()
      return { ...rest, client_secret, joins: orgId }
    },
    setProvider: async (orgId, { client_secret, ...input }, by) => {
      if (!isIssuer(input.issuer)) return 'issuer_invalid'
      const fresh = client_secret && (await sealer.seal(client_secret, contextOf(orgId)))
      return await db.transaction().execute(async (tx) => {
        if (!(await lockOrganization(tx, orgId))) return 'not_found'
        const before = await findProviderRow(tx, orgId)
        const isSame = before?.issuer === input.issuer
        const sealed = fresh ?? (isSame ? before.sealed : undefined)
        if (sealed === undefined || sealed === '') return 'secret_missing'
        const now = clock.now()
        const { roles, ...rest } = input
        const values = { ...rest, roles: JSON.stringify(rolesOf(roles)), sealed, tested_at: null }
        await upsertProvider(tx, { org_id: orgId, ...values, updated_at: now })
        if (before && !isSame) await deleteSessionsOfProvider(tx, orgId)
        await audit(tx, options, orgId, by, 'provider_set', {
          ...input,
          by_secret: fresh !== undefined,
        })
        return 'done'
      })
    },
    removeProvider: async (orgId, by) =>
      await db.transaction().execute(async (tx) => {
        await lockOrganization(tx, orgId)
        if (!(await deleteProvider(tx, orgId))) return false
        await deleteSessionsOfProvider(tx, orgId)
        const { required_provider } = (await findRequirement(tx, orgId)) ?? {}
        if (required_provider === 'own') await updateRequirement(tx, orgId, NOT_REQUIRED)
        await audit(tx, options, orgId, by, 'provider_removed', {})
        return true
      }),
    requireProvider: async (orgId, next, by) => {
      if (!isUuid(orgId)) return 'not_found'
      return await db.transaction().execute(async (tx) => {
        if (!(await lockOrganization(tx, orgId))) return 'not_found'
        const fault = await faultOf(tx, options, orgId, next)
        if (fault) return fault
        const written = next.required_provider === null ? NOT_REQUIRED : next
        await updateRequirement(tx, orgId, written)
        await audit(tx, options, orgId, by, 'required', written)
        return 'done'
      })
    },
    setDomains: async (orgId, domains) => {
      if (!isUuid(orgId)) return 'not_found'
      const lower = [...new Set(domains.map((domain) => domain.toLowerCase()))]
      const outcome = await db
        .transaction()
        .execute(async (tx) => {
          if (!(await lockOrganization(tx, orgId))) return 'not_found' as const
          if (!(await replaceDomains(tx, orgId, lower))) throw new TakenError()
          await audit(tx, options, orgId, undefined, 'domains_set', { domains: lower })
          return 'done' as const
        })
        .catch((error: unknown) => {
          if (error instanceof TakenError) return 'taken' as const
          throw error
        })
      return outcome
    },
  }
}

class TakenError extends Error {}

const NOT_REQUIRED: Requirement = { required_provider: null, break_glass_user_id: null }

/** A requirement that no one could fulfill would lock everyone out. */
async function faultOf(
  tx: Db,
  { has_provider = false }: ProviderOptions,
  orgId: string,
  { required_provider, break_glass_user_id: userId }: Requirement,
): Promise<Exclude<RequirementChange, 'done' | 'not_found'> | undefined> {
  if (required_provider === null) return undefined
  const row = await findProviderRow(tx, orgId)
  if (required_provider === 'own' ? !row : !has_provider) return 'no_provider'
  if (required_provider === 'own' && row?.tested_at === null) return 'untested'
  const owner = userId !== null && isUuid(userId) && (await findMembership(tx, orgId, userId))
  if (!owner || owner.role !== 'owner') return 'no_break_glass'
  const user = await findUser(tx, owner.user_id)
  return user?.password_hash === DUMMY_HASH ? 'no_password' : undefined
}

const described = (row: ProviderRow): SignInProvider => {
  const { issuer, client_id, scopes, email_domains, role_claim, default_role, trusts_factor } = row
  const roles = Object.entries(row.roles).map(([group, role]) => ({ group, role }))
  const tested_at = row.tested_at?.toISOString() ?? null
  const facts = { issuer, client_id, scopes, email_domains, role_claim, default_role }
  return { ...facts, roles, trusts_factor, tested_at }
}

const rolesOf = (roles: SignInProvider['roles']): Provider['roles'] =>
  Object.fromEntries(roles.map(({ group, role }) => [group, role]))

/** OpenID Connect Discovery: an HTTPS URL without query and fragment. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  const isSafe = url.protocol === 'https:' || isPlainAllowed(url)
  return isSafe && url.username === '' && url.password === '' && !/[?#]/.test(text)
}

async function audit(
  tx: Db,
  { clock, newId }: ProviderOptions,
  orgId: string,
  by: string | undefined,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  const at = clock.now()
  const entry = { id: newId(at), at, actor_user_id: by ?? null, details }
  await insertAudit(tx, orgId, { ...entry, action: `single_sign_on.${action}` })
}
