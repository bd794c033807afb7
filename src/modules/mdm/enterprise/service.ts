/**
 * The enterprise of an organisation at the provider: the sign-up, in which an administrator agrees to
 * it on a page of the provider, and what is made of it. There is one at the most.
 */
import type { Clock } from '../../../platform/clock.ts'
import { AppError, invalidRequest, tooManyRequests } from '../../../platform/http/errors.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { storable } from '../../../platform/postgres/storable.ts'
import { type AuditFacts, auditEntry } from '../audit/entry.ts'
import { insertAuditEntries, userActor } from '../audit/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import { listPolicyIds } from '../policies/store.ts'
import { valueOf } from '../providers/answers.ts'
import type { AndroidManagement } from '../providers/port.ts'
import type { CreateEnterprise, Enterprise, Signup } from './schema.ts'
import {
  deleteSignup,
  deleteSignups,
  type EnterpriseRow,
  findEnterprise,
  insertEnterprise,
  leaseSignup,
  lockEnterprise,
  type NewEnterprise,
  nameSignup,
  releaseSignup,
  reserveSignup,
} from './store.ts'

export type EnterpriseDependencies = {
  db: Database
  provider: Pick<AndroidManagement, 'projectId' | 'createSignupUrl' | 'createEnterprise'>
  newId: NewId
  clock: Clock
  /** Something waits to be brought to the provider. */
  hint: () => void
}

export type Enterprises = {
  find(orgId: string): Promise<Enterprise | null>
  /** @throws AppError 400 naming `callback_url` or `org_id`, 429, or 500 for the provider */
  startSignup(userId: string, orgId: string, callbackUrl: string): Promise<Signup>
  /** @throws AppError 400 naming `signup_url_name`, `enterprise_token` or `org_id`, 429 or 500 */
  create(userId: string, orgId: string, request: CreateEnterprise): Promise<Enterprise>
}

/** An administrator who tries again and again needs fewer. */
const SIGNUPS_MAX = 20
const SIGNUPS_WINDOW_MS = 3_600_000

/** More than the deadlines of all requests that making an enterprise takes. */
const LEASE_SECONDS = 300

export function createEnterprises(deps: EnterpriseDependencies): Enterprises {
  const { db, provider, newId, clock, hint } = deps
  return {
    find: async (orgId) => {
      const row = await findEnterprise(db, orgId)
      return row ? shownEnterprise(row) : null
    },
    startSignup: async (userId, orgId, callbackUrl) => {
      if (!isWebAddress(callbackUrl)) {
        throw invalidRequest('callback_url', 'callback_url must be an http or https URL')
      }
      if (await findEnterprise(db, orgId)) throw oneIsThere()
      const key = await reserve(deps, orgId)
      const answer = await provider.createSignupUrl(callbackUrl)
      // It did not take anything from others.
      if (!answer.ok && answer.fault.kind === 'rate_limited') await deleteSignup(db, key)
      const { name, url } = valueOf(answer, 'callback_url')
      const entry = auditEntry(newId, clock.now(), {
        ...factsOf(userId, orgId),
        action: 'enterprise.signup_started',
        after: { signup_url_name: name },
      })
      await db.transaction().execute(async (tx) => {
        await nameSignup(tx, key, name)
        await insertAuditEntries(tx, [entry])
      })
      return { signup_url: url, signup_url_name: name }
    },
    create: async (userId, orgId, request) => {
      const { signup_url_name } = request
      await leaseOrRefuse(db, orgId, signup_url_name)
      try {
        const made = await askProvider(deps, orgId, request)
        await db.transaction().execute(async (tx) => await store(deps, tx, made, userId))
        hint()
        return shownEnterprise(made)
      } catch (error) {
        // The lease ends by itself when the database is away.
        await releaseSignup(db, orgId, signup_url_name).catch(() => undefined)
        throw error
      }
    },
  }
}

/**
 * All organisations together have so few requests of this kind that one could leave none to the others.
 * One that the provider rejects counts as well: its name, ours, is none that the provider gives.
 */
async function reserve({ db, clock, newId }: EnterpriseDependencies, org_id: string) {
  const now = clock.now()
  const key = { org_id, name: `begun/${newId(now)}` }
  const since = new Date(now.getTime() - SIGNUPS_WINDOW_MS)
  const limit = { since, signups_max: SIGNUPS_MAX }
  const oldest = await reserveSignup(db, { ...key, created_at: now }, limit)
  if (!oldest) return key
  throw tooManyRequests(Math.max(1, Math.ceil((oldest.getTime() - since.getTime()) / 1000)))
}

/** Two enterprises would be made of two requests at once, and one of them left behind. */
async function leaseOrRefuse(db: Database, orgId: string, name: string): Promise<void> {
  const lease = await db.transaction().execute(async (tx) => {
    if (await findEnterprise(tx, orgId)) throw oneIsThere()
    return await leaseSignup(tx, orgId, name, LEASE_SECONDS)
  })
  if (lease === 'unknown') {
    throw invalidRequest(
      'signup_url_name',
      'signup_url_name is of no sign-up that this organisation has under way',
    )
  }
  if (lease === 'busy') {
    throw invalidRequest('org_id', 'org_id has an enterprise that is being made at this moment')
  }
}

/** It is never asked twice: what came of the first request may be there although no answer came. */
async function askProvider(
  { provider, clock }: EnterpriseDependencies,
  orgId: string,
  request: CreateEnterprise,
): Promise<NewEnterprise> {
  const project_id = valueOf(await provider.projectId(), 'org_id')
  const answer = await provider.createEnterprise(request)
  if (!answer.ok && answer.fault.is_ambiguous) {
    throw new AppError(500, {
      message: `${answer.fault.message} The enterprise may have been made all the same: try again, and sign up anew when that is refused`,
    })
  }
  const { name, enterpriseDisplayName } = valueOf(answer, 'enterprise_token')
  const display_name = storable(enterpriseDisplayName ?? '')
  return { org_id: orgId, name, project_id, display_name, created_at: clock.now() }
}

async function store(
  { newId }: EnterpriseDependencies,
  tx: Db,
  made: NewEnterprise,
  userId: string,
): Promise<void> {
  const { org_id, name, display_name, project_id, created_at } = made
  await lockEnterprise(tx, org_id)
  if (!(await insertEnterprise(tx, made))) {
    if (await findEnterprise(tx, org_id)) throw oneIsThere()
    throw invalidRequest('enterprise_token', 'enterprise_token is of an enterprise in use')
  }
  await deleteSignups(tx, org_id)
  await insertAuditEntries(tx, [
    auditEntry(newId, created_at, {
      ...factsOf(userId, org_id),
      action: 'enterprise.created',
      after: { name, display_name, project_id },
    }),
  ])
  const policies = await listPolicyIds(tx, org_id)
  const subjects = policies.map((subject_id) => ({ org_id, subject_id }))
  await requestDispatches(tx, 'publish_policy', subjects)
}

/** An organisation has one, which needs no id. */
const factsOf = (
  userId: string,
  org_id: string,
): Pick<AuditFacts, 'org_id' | 'actor' | 'target'> => ({
  org_id,
  actor: userActor(userId),
  target: { type: 'enterprise', id: null },
})

const oneIsThere = () => invalidRequest('org_id', 'org_id has an enterprise already')

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.hostname !== ''
}

const shownEnterprise = ({
  name,
  display_name,
  created_at,
}: Pick<EnterpriseRow, 'name' | 'display_name' | 'created_at'>): Enterprise => ({
  name,
  display_name,
  created_at: created_at.toISOString(),
})
