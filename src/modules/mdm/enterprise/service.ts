/**
 * Signs an organization up for its enterprise at the provider and creates the enterprise once an
 * administrator has agreed on a page of the provider. An organization has at most one.
 */
import type { Clock } from '../../../platform/clock.ts'
import { AppError, invalidRequest, tooManyRequests } from '../../../platform/http/errors.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { storable } from '../../../platform/postgres/storable.ts'
import { userActor } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import { requestDispatches } from '../dispatch/store.ts'
import { listPolicyIds } from '../policies/store.ts'
import { valueOf } from '../providers/answers.ts'
import type { AndroidManagement } from '../providers/port.ts'
import type { CreateEnterprise, Enterprise, Signup } from './schema.ts'
import {
  deleteSignup,
  deleteSignups,
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
  /** Wakes the dispatcher. */
  hint: () => void
}

export type Enterprises = {
  find(orgId: string): Promise<Enterprise | null>
  /** @throws AppError 400 naming `callback_url` or `org_id`, 429, or 500 when the provider fails */
  startSignup(userId: string, orgId: string, callbackUrl: string): Promise<Signup>
  /** @throws AppError 400 naming `signup_url_name`, `enterprise_token` or `org_id`, 429 or 500 */
  create(userId: string, orgId: string, request: CreateEnterprise): Promise<Enterprise>
}

/** Far more than an administrator who repeats the sign-up needs. */
const SIGNUPS_MAX = 20
const SIGNUPS_WINDOW_MS = 3_600_000

/** Longer than the deadlines of all requests that creating an enterprise takes. */
const LEASE_SECONDS = 300

export function createEnterprises(deps: EnterpriseDependencies): Enterprises {
  const { db, provider, newId, clock, hint } = deps
  return {
    find: async (orgId) => {
      const row = await findEnterprise(db, orgId)
      return row ? enterpriseOf(row) : null
    },
    startSignup: async (userId, orgId, callbackUrl) => {
      if (!isWebAddress(callbackUrl)) {
        throw invalidRequest('callback_url', 'callback_url must be an http or https URL')
      }
      if (await findEnterprise(db, orgId)) throw alreadyExists()
      const key = await reserve(deps, orgId)
      const answer = await provider.createSignupUrl(callbackUrl)
      // The request used none of the quota that organizations share.
      if (!answer.ok && answer.fault.kind === 'rate_limited') await deleteSignup(db, key)
      const { name, url } = valueOf(answer, 'callback_url')
      await db.transaction().execute(async (tx) => {
        await nameSignup(tx, key, name)
        await writeAudit(tx, newId, clock.now(), {
          ...factsOf(userId, orgId),
          action: 'enterprise.signup_started',
          after: { signup_url_name: name },
        })
      })
      return { signup_url: url, signup_url_name: name }
    },
    create: async (userId, orgId, request) => {
      const { signup_url_name } = request
      await leaseOrRefuse(db, orgId, signup_url_name)
      try {
        const enterprise = await createAtProvider(deps, orgId, request)
        await db.transaction().execute(async (tx) => await store(deps, tx, enterprise, userId))
        hint()
        return enterpriseOf(enterprise)
      } catch (error) {
        // The lease expires on its own when the database is unavailable.
        await releaseSignup(db, orgId, signup_url_name).catch(() => undefined)
        throw error
      }
    },
  }
}

/**
 * Organizations share a small quota of sign-ups, so each is limited. The sign-up is stored before the
 * request under a name of ours; one that the provider rejects keeps that name and counts as well.
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

/** Two concurrent requests would create two enterprises, one of them without an owner. */
async function leaseOrRefuse(db: Database, orgId: string, name: string): Promise<void> {
  const lease = await db.transaction().execute(async (tx) => {
    if (await findEnterprise(tx, orgId)) throw alreadyExists()
    return await leaseSignup(tx, orgId, name, LEASE_SECONDS)
  })
  if (lease === 'unknown') {
    const message = 'signup_url_name does not belong to a pending sign-up of this organization'
    throw invalidRequest('signup_url_name', message)
  }
  if (lease === 'busy') {
    throw invalidRequest('org_id', 'An enterprise is already being created for org_id')
  }
}

/** Sends the request once only: it may have taken effect although no answer came. */
async function createAtProvider(
  { provider, clock }: EnterpriseDependencies,
  orgId: string,
  request: CreateEnterprise,
): Promise<NewEnterprise> {
  const project_id = valueOf(await provider.projectId(), 'org_id')
  const answer = await provider.createEnterprise(request)
  if (!answer.ok && answer.fault.is_ambiguous) {
    throw new AppError(500, {
      message: `${answer.fault.message} The enterprise may have been created nevertheless: try again, and start a new sign-up if that is refused`,
    })
  }
  const { name, enterpriseDisplayName } = valueOf(answer, 'enterprise_token')
  const display_name = storable(enterpriseDisplayName ?? '')
  return { org_id: orgId, name, project_id, display_name, created_at: clock.now() }
}

async function store(
  { newId }: EnterpriseDependencies,
  tx: Db,
  enterprise: NewEnterprise,
  userId: string,
): Promise<void> {
  const { org_id, name, display_name, project_id, created_at } = enterprise
  await lockEnterprise(tx, org_id)
  if (!(await insertEnterprise(tx, enterprise))) {
    if (await findEnterprise(tx, org_id)) throw alreadyExists()
    const message = 'enterprise_token belongs to an enterprise that is already in use'
    throw invalidRequest('enterprise_token', message)
  }
  await deleteSignups(tx, org_id)
  await writeAudit(tx, newId, created_at, {
    ...factsOf(userId, org_id),
    action: 'enterprise.created',
    after: { name, display_name, project_id },
  })
  const policies = await listPolicyIds(tx, org_id)
  const subjects = policies.map((subject_id) => ({ org_id, subject_id }))
  await requestDispatches(tx, 'publish_policy', subjects)
}

/** The target has no id, because an organization has only one enterprise. */
const factsOf = (userId: string, org_id: string) => ({
  org_id,
  actor: userActor(userId),
  target: { type: 'enterprise', id: null } as const,
})

const alreadyExists = () => invalidRequest('org_id', 'org_id already has an enterprise')

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.hostname !== ''
}

const enterpriseOf = ({ name, display_name, created_at }: NewEnterprise): Enterprise => ({
  name,
  display_name,
  created_at: created_at.toISOString(),
})
