/**
 * Signing in at a provider. A browser gets a secret in a cookie and an address; it comes back with what the provider has
 * added, which is accepted once, from this browser, for the same provider.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { hashToken, isToken, newToken } from '../../../platform/crypto/tokens.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { MINUTE_MS, SECOND_MS } from '../../../platform/time-units.ts'
import { insertAudit } from '../../audit/index.ts'
import type { Sessions, SignedIn } from '../sessions/service.ts'
import type { Origin } from '../sessions/tokens.ts'
import type { Role } from '../tables.ts'
import { endSessions, sidHash } from './back-channel.ts'
import { type Callback, type Identified, type ProviderClient, ProviderError } from './client.ts'
import { admitPerson } from './people.ts'
import {
  domainOf,
  emailOf,
  isStrong,
  type PersonRefused,
  type Provider,
  roleOf,
} from './provider.ts'
import type { SignInProviders } from './providers.ts'
import {
  type Flow,
  findIdentity,
  findOrgOfDomain,
  findSignOutUrl,
  insertFlow,
  markProviderProved,
  markTested,
  takeFlow,
} from './store.ts'

export type SignInRefused =
  | PersonRefused
  | 'expired'
  | 'changed'
  | 'unreachable'
  | 'canceled'
  | 'invalid'
type Refusal = { refused: SignInRefused }

/** The secret belongs into the cookie of the browser. */
export type Begun = { url: string; secret: string }
export type Asking = { user_id: string; session_id: string }

export type Completed = { next: string } & (
  | { kind: 'signed_in'; signed_in: SignedIn }
  | { kind: 'proved' }
  | { kind: 'tested'; email: string; role: Role | null; has_second_factor: boolean }
)

export type SingleSignOn = {
  /** @returns undefined when the organization, or the one of the domain of the e-mail, has no provider */
  begin(
    where: { org_id?: string | undefined; email?: string | undefined },
    next: string,
  ): Promise<Begun | Refusal | undefined>
  /** Requires another sign-in, for actions that need a recent proof. @param orgId of the provider of the session */
  beginProof(who: Asking, orgId: string | null, next: string): Promise<Begun | Refusal | undefined>
  /** Signs no one in. */
  beginTest(who: Asking, orgId: string, next: string): Promise<Begun | Refusal | undefined>
  /** @param returned.org_id of the address that the provider has sent the browser to */
  complete(
    secret: string,
    returned: { org_id?: string | undefined; callback: Callback },
    origin: Origin,
  ): Promise<Completed | Refusal>
  /** The address at which the provider ends its session, too. */
  signOutUrlOf(refreshToken: string): Promise<string | undefined>
  /** Ends the sessions of a person who has signed out at the provider. @param orgId undefined for the installation */
  signOutByProvider(orgId: string | undefined, token: string): Promise<Refusal | undefined>
}

export type SingleSignOnOptions = {
  db: Database
  newId: NewId
  clock: Clock
  log: Log
  sealer: Sealer
  client: ProviderClient
  accounts: Pick<Sessions, 'signInByProvider'> & Pick<SignInProviders, 'openProvider'>
  /** The provider of the settings. */
  installation: Provider | undefined
}

const PREFIX = 'vsf_'
const FLOW_MS = 10 * MINUTE_MS
/** Clocks of providers differ by this much. */
const SKEW_MS = 60 * SECOND_MS
const SIGN_OUT_CONTEXT = 'sign_out_url'

export function createSingleSignOn(options: SingleSignOnOptions): SingleSignOn {
  const { db, clock, sealer, client } = options
  const providerOf = async (orgId: string | null | undefined): Promise<Provider | undefined> =>
    typeof orgId === 'string' ? await options.accounts.openProvider(orgId) : options.installation
  const start = async (
    provider: Provider | undefined,
    flow: Pick<Flow, 'purpose' | 'next'> & Partial<Asking>,
  ): Promise<Begun | Refusal | undefined> => {
    if (!provider) return undefined
    const secret = newToken(PREFIX)
    const isAgain = flow.purpose === 'prove'
    return await withoutFaults(options, provider, async () => {
      const url = await client.urlOf(provider, secret, isAgain)
      const now = clock.now()
      await insertFlow(db, {
        user_id: null,
        session_id: null,
        ...flow,
        token_hash: hashToken(secret),
        org_id: provider.org_id ?? null,
        provider_at: provider.updated_at ?? null,
        created_at: now,
        expires_at: new Date(now.getTime() + FLOW_MS),
      })
      return { url, secret }
    })
  }

  return {
    begin: async ({ org_id, email }, next) => {
      const domain = email === undefined ? undefined : domainOf(email)
      const found = domain === undefined ? undefined : await findOrgOfDomain(db, domain)
      if (domain !== undefined && found === undefined) return undefined
      return await start(await providerOf(org_id ?? found), { purpose: 'sign_in', next })
    },
    beginProof: async (who, orgId, next) =>
      await start(await providerOf(orgId), { purpose: 'prove', next, ...who }),
    beginTest: async (who, orgId, next) =>
      await start(await providerOf(orgId), { purpose: 'test', next, ...who }),
    complete: async (secret, { org_id, callback }, origin) => {
      const flow = isToken(secret, PREFIX)
        ? await takeFlow(db, hashToken(secret), clock.now())
        : undefined
      if (!flow) return { refused: 'expired' }
      const provider = await providerOf(flow.org_id)
      const isSame =
        provider !== undefined &&
        provider.org_id === org_id &&
        (provider.updated_at?.getTime() ?? null) === (flow.provider_at?.getTime() ?? null)
      if (!isSame) return { refused: 'changed' }
      return await withoutFaults(options, provider, async () => {
        const isAgain = flow.purpose === 'prove'
        const identified = await client.identify(provider, secret, callback, isAgain)
        if (flow.purpose === 'test') return await test(options, provider, flow, identified)
        if (isAgain) return await prove(options, provider, flow, identified)
        return await signIn(options, provider, flow, { ...identified, origin })
      })
    },
    signOutUrlOf: async (refreshToken) => {
      const sealed = await findSignOutUrl(db, hashToken(refreshToken))
      return sealed === null ? undefined : (await sealer.open(sealed, SIGN_OUT_CONTEXT)).toString()
    },
    signOutByProvider: async (orgId, token) => {
      const provider = await providerOf(orgId)
      if (!provider) return { refused: 'invalid' }
      return await withoutFaults(options, provider, async () => {
        const signedOut = await client.signedOut(provider, token, clock.now())
        const isNew = await endSessions(options, provider, signedOut)
        return isNew ? undefined : ({ refused: 'invalid' } as const)
      })
    },
  }
}

async function signIn(
  options: SingleSignOnOptions,
  provider: Provider,
  { next }: Flow,
  { claims, sign_out_url, origin }: Identified & { origin: Origin },
): Promise<Completed | Refusal> {
  const { db, sealer, accounts } = options
  const person = await db
    .transaction()
    .execute(async (tx) => await admitPerson(tx, options, provider, claims))
  if ('refused' in person) return person
  const { sid } = claims
  const signed_in = await accounts.signInByProvider(person.user_id, {
    org_id: provider.org_id ?? null,
    sid_hash: typeof sid === 'string' ? sidHash(provider.issuer, sid) : null,
    sign_out_url: sign_out_url && (await sealer.seal(sign_out_url, SIGN_OUT_CONTEXT)),
    is_proved: isStrong(provider, claims),
    ...origin,
  })
  return signed_in ? { kind: 'signed_in', signed_in, next } : { refused: 'unknown_person' }
}

/** Another person at the same browser, or an older sign-in, proves nothing. */
async function prove(
  { db, clock }: SingleSignOnOptions,
  provider: Provider,
  { user_id, session_id, next, created_at }: Flow,
  { claims }: Identified,
): Promise<Completed | Refusal> {
  const { org_id = null, issuer } = provider
  const identity = await findIdentity(db, { org_id, issuer, subject: claims.sub })
  const at = claims['auth_time']
  const isRecent = typeof at === 'number' && at * SECOND_MS >= created_at.getTime() - SKEW_MS
  if (!identity || identity.user_id !== user_id || !isRecent || session_id === null) {
    return { refused: 'invalid' }
  }
  const now = clock.now()
  const proof = { provider_at: now, ...(isStrong(provider, claims) && { factor_at: now }) }
  const isDone = await markProviderProved(db, { session_id, user_id }, proof)
  return isDone ? { kind: 'proved', next } : { refused: 'expired' }
}

async function test(
  { db, clock, newId }: SingleSignOnOptions,
  provider: Provider,
  flow: Flow,
  { claims }: Identified,
): Promise<Completed | Refusal> {
  const { org_id, user_id, provider_at, next } = flow
  const checked = emailOf(provider, claims)
  if ('refused' in checked) return checked
  const role = roleOf(provider, claims)
  if (role === undefined && provider.role_claim !== null) return { refused: 'no_role' }
  if (org_id === null) return { refused: 'changed' }
  const { email } = checked
  const at = clock.now()
  const isDone = await db.transaction().execute(async (tx) => {
    if (!(await markTested(tx, { org_id, provider_at }, at))) return false
    const entry = { id: newId(at), at, actor_user_id: user_id, target: email }
    await insertAudit(tx, org_id, { ...entry, action: 'single_sign_on.tested' })
    return true
  })
  if (!isDone) return { refused: 'changed' }
  const has_second_factor = isStrong(provider, claims)
  return { kind: 'tested', email, role: role ?? null, has_second_factor, next }
}

/** The reason of a fault is for the operator; it can contain what the provider has sent, but no secret. */
async function withoutFaults<T>(
  { log }: SingleSignOnOptions,
  { org_id, issuer }: Provider,
  run: () => Promise<T>,
): Promise<T | Refusal> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const { fault, cause } = error
    const reason = cause instanceof Error ? cause.message : String(cause)
    log.warn({ org_id, issuer, fault, reason }, 'single sign-on failed')
    return { refused: fault }
  }
}
