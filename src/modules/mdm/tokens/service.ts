/**
 * Enrollment tokens, which the provider issues and ends; Vigil stores their values sealed. The provider
 * ends a token before Vigil shows it as ended.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { HOUR_SECONDS } from '../../../platform/time-units.ts'
import type { Role } from '../../accounts/index.ts'
import { userActor } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import { findEnterprise } from '../enterprise/store.ts'
import { publishIfAbsent } from '../policies/publication.ts'
import { policyNameOf } from '../policies/record.ts'
import { findPolicy, sharePolicy } from '../policies/store.ts'
import { valueOf } from '../providers/answers.ts'
import type { AndroidManagement, WireEnrollmentToken } from '../providers/port.ts'
import type { ManagementMode, TokenState } from '../tables.ts'
import { createAllowance } from './allowance.ts'
import {
  type CreateToken,
  DURATION_DEFAULT_HOURS,
  DURATION_MIN_HOURS,
  type ListedToken,
  type Token,
  type TokenPage,
} from './schema.ts'
import {
  findToken,
  insertToken,
  listAllTokens,
  listTokens,
  markTokenEnded,
  type TokenPlace,
  type TokenRow,
} from './store.ts'

export type TokenDependencies = {
  db: Database
  provider: Pick<
    AndroidManagement,
    'patchPolicy' | 'createEnrollmentToken' | 'deleteEnrollmentToken'
  >
  sealer: Sealer
  newId: NewId
  clock: Clock
  log: Pick<Log, 'error'>
  /** Notifies the dispatcher that something may be due. */
  hint: () => void
}

export type Tokens = {
  /** Tokens that have not expired and were not ended, newest first. */
  list(orgId: string, reader: Role): Promise<ListedToken[]>
  /** All stored tokens, newest first. */
  listAll(orgId: string, reader: Role, place: TokenPlace): Promise<TokenPage>
  /** @throws AppError 400 naming `policy_id`, `duration_hours` or `org_id`, 429 or 500 */
  create(userId: string, orgId: string, request: CreateToken): Promise<Token>
  /**
   * Ends an active token; any other one stays as it is.
   *
   * @returns undefined when the organization has no such token
   * @throws AppError 400 naming `token_id`, 429 or 500
   */
  end(userId: string, orgId: string, id: string): Promise<ListedToken | undefined>
}

export function createTokens(deps: TokenDependencies): Tokens {
  const { db, clock } = deps
  const allowance = createAllowance(db)
  return {
    list: async (orgId, reader) =>
      await toListed(deps, await listTokens(db, orgId, clock.now()), mayEnroll(reader)),
    listAll: async (orgId, reader, { after, limit }) => {
      const rows = await listAllTokens(db, orgId, { after, limit: limit + 1 })
      const page = rows.slice(0, limit)
      const next_cursor = rows.length > limit ? (page.at(-1)?.id ?? null) : null
      const listed = await toListed(deps, page, mayEnroll(reader))
      const tokens = listed.map((token, index) => ({ ...token, ...originOf(page[index]) }))
      return { tokens, next_cursor }
    },
    create: async (userId, orgId, request) => {
      const { duration_hours = DURATION_DEFAULT_HOURS } = request
      if (duration_hours < DURATION_MIN_HOURS) {
        const message = 'duration_hours must be at least 1/60, which is one minute'
        throw invalidRequest('duration_hours', message)
      }
      const seconds = Math.round(duration_hours * HOUR_SECONDS)
      const subjects = await getSubjects(db, orgId, request.policy_id)
      const { one_time = false } = request
      const order = { ...subjects, duration_hours, seconds, one_time, userId }
      return await allowance.within(orgId, clock.now(), async () => await issue(deps, order))
    },
    end: async (userId, orgId, id) => {
      const row = isUuid(id) ? await findToken(db, orgId, id) : undefined
      if (row && stateOf(row, clock.now()) === 'active') await end(deps, row, userId)
      const ended = row && (await findToken(db, orgId, row.id))
      return ended && (await toListed(deps, [ended], false))[0]
    },
  }
}

/** Anyone who sees the value of a token can enroll devices with it. */
const mayEnroll = (reader: Role): boolean => reader !== 'member'

type TokenOrder = Awaited<ReturnType<typeof getSubjects>> & {
  duration_hours: number
  seconds: number
  one_time: boolean
  userId: string
}

async function issue(deps: TokenDependencies, order: TokenOrder): Promise<Token> {
  const { enterprise, policy, duration_hours, seconds, one_time, userId } = order
  await publishIfAbsent(deps, enterprise.name, policy)
  const requested_at = deps.clock.now()
  const id = deps.newId(requested_at)
  const answer = await deps.provider.createEnrollmentToken(enterprise.name, {
    policyName: policyNameOf(enterprise.name, policy.id),
    duration: `${seconds}s`,
    oneTimeOnly: one_time,
    allowPersonalUsage: personalUsageOf(policy.management_mode),
    additionalData: JSON.stringify({ token_id: id }),
  })
  const issued = valueOf(answer, 'policy_id')
  const row: TokenRow = {
    org_id: policy.org_id,
    id,
    policy_id: policy.id,
    management_mode: policy.management_mode,
    provider_name: issued.name,
    duration_hours,
    one_time,
    ...(await sealToken(deps.sealer, id, issued)),
    expires_at: expiryOf(issued, new Date(requested_at.getTime() + seconds * 1000)),
    used_at: null,
    uses: 0,
    ended_at: null,
    created_by: userId,
    created_at: requested_at,
  }
  await deps.db.transaction().execute(async (tx) => await store(deps, tx, row, userId))
  return { ...factsOf(row, requested_at), token_value: issued.value, qr_content: issued.qrCode }
}

async function getSubjects(db: Db, orgId: string, policyId: string) {
  const enterprise = await findEnterprise(db, orgId)
  if (!enterprise) throw invalidRequest('org_id', 'org_id has no enterprise yet; create one first')
  const policy = isUuid(policyId) ? await findPolicy(db, orgId, policyId) : undefined
  if (!policy) throw invalidRequest('policy_id', 'policy_id does not belong to this organization')
  return { enterprise, policy }
}

/**
 * A token whose policy has changed to another mode in the meantime is never returned to anyone. It
 * expires at the provider without having enrolled a device.
 */
async function store(
  { newId }: TokenDependencies,
  tx: Db,
  row: TokenRow,
  userId: string,
): Promise<void> {
  const { org_id, id, policy_id, management_mode, duration_hours, one_time } = row
  const policy = await sharePolicy(tx, org_id, policy_id)
  if (policy?.management_mode !== management_mode) {
    const message = 'policy_id refers to a policy that has just changed; try again'
    throw invalidRequest('policy_id', message)
  }
  await insertToken(tx, row)
  const expires_at = row.expires_at.toISOString()
  await writeAudit(tx, newId, row.created_at, {
    org_id,
    action: 'enrollment_token.created',
    actor: userActor(userId),
    target: { type: 'enrollment_token', id },
    after: { policy_id, management_mode, duration_hours, one_time, expires_at },
  })
}

const personalUsageOf = (mode: ManagementMode) =>
  mode === 'work_profile' ? 'PERSONAL_USAGE_ALLOWED' : 'PERSONAL_USAGE_DISALLOWED'

function expiryOf({ expirationTimestamp }: WireEnrollmentToken, fallback: Date): Date {
  const expiry = new Date(expirationTimestamp)
  return Number.isNaN(expiry.getTime()) ? fallback : expiry
}

const contextOf = (id: string): string => `mdm_enrollment_token:${id}`

async function sealToken(sealer: Sealer, id: string, issued: WireEnrollmentToken) {
  return {
    token_value: await sealer.seal(issued.value, contextOf(id)),
    qr_content: await sealer.seal(issued.qrCode, contextOf(id)),
  }
}

/** If the process is killed in between, the token seems to be active, and ending it again succeeds. */
async function end(deps: TokenDependencies, row: TokenRow, userId: string): Promise<void> {
  const answer = await deps.provider.deleteEnrollmentToken(row.provider_name)
  // The provider no longer has a token that was used up or ended before.
  if (answer.ok || answer.fault.kind !== 'not_found') valueOf(answer, 'token_id')
  const now = deps.clock.now()
  await deps.db.transaction().execute(async (tx) => {
    if (!(await markTokenEnded(tx, row, now))) return
    await writeAudit(tx, deps.newId, now, {
      org_id: row.org_id,
      action: 'enrollment_token.ended',
      actor: userActor(userId),
      target: { type: 'enrollment_token', id: row.id },
      before: { state: 'active' },
      after: { state: 'ended' },
    })
  })
}

/** Values that cannot be decrypted, for example because the key is lost, are null and logged. */
async function toListed(
  { sealer, log, clock }: TokenDependencies,
  rows: readonly TokenRow[],
  hasValues: boolean,
): Promise<ListedToken[]> {
  const now = clock.now()
  const opened = await Promise.allSettled(
    rows.map(async (row) => (hasValues ? await openValues(sealer, row) : HIDDEN)),
  )
  const failures = opened.flatMap((each, index) =>
    each.status === 'rejected' ? [{ id: rows[index]?.id, reason: each.reason as unknown }] : [],
  )
  if (failures.length > 0) {
    const token_ids = failures.map(({ id }) => id)
    log.error({ err: failures[0]?.reason, token_ids }, 'cannot decrypt enrollment tokens')
  }
  return rows.map((row, index) => {
    const values = opened[index]
    return { ...factsOf(row, now), ...(values?.status === 'fulfilled' ? values.value : HIDDEN) }
  })
}

const originOf = (row: TokenRow | undefined) => ({
  created_by: row?.created_by ?? null,
  used_at: row?.used_at?.toISOString() ?? null,
  uses: row?.uses ?? 0,
})

const HIDDEN = { token_value: null, qr_content: null }

async function openValues(sealer: Sealer, { id, token_value, qr_content }: TokenRow) {
  const open = async (sealed: string) => (await sealer.open(sealed, contextOf(id))).toString('utf8')
  return { token_value: await open(token_value), qr_content: await open(qr_content) }
}

function factsOf(row: TokenRow, now: Date): Omit<Token, 'token_value' | 'qr_content'> {
  const { id, policy_id, management_mode, duration_hours, one_time } = row
  return {
    id,
    policy_id,
    management_mode,
    duration_hours,
    one_time,
    state: stateOf(row, now),
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }
}

/** A device that enrolled is more important to know than how the token ended. */
function stateOf({ one_time, used_at, ended_at, expires_at }: TokenRow, now: Date): TokenState {
  if (one_time && used_at !== null) return 'used'
  if (ended_at !== null) return 'ended'
  return expires_at.getTime() <= now.getTime() ? 'expired' : 'active'
}
