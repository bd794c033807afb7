/** Enrolment tokens: the provider makes them, here they are kept sealed until they expire. */
import type { Clock } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/sealed.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { ManagementMode } from '../../../platform/postgres/tables/mdm.ts'
import { auditEntry } from '../audit/entry.ts'
import { insertAuditEntries, userActor } from '../audit/store.ts'
import { findEnterprise } from '../enterprise/store.ts'
import { publishIfAbsent } from '../policies/publication.ts'
import { policyNameOf } from '../policies/record.ts'
import { findPolicy, sharePolicy } from '../policies/store.ts'
import { valueOf } from '../providers/answers.ts'
import type { AndroidManagement, WireEnrollmentToken } from '../providers/port.ts'
import { createAllowance } from './allowance.ts'
import { type CreateToken, DURATION_DEFAULT_HOURS, type Token } from './schema.ts'
import { insertToken, listTokens, type TokenRow } from './store.ts'

export type TokenDependencies = {
  db: Database
  provider: Pick<AndroidManagement, 'patchPolicy' | 'createEnrollmentToken'>
  sealer: Sealer
  newId: NewId
  clock: Clock
  log: Pick<Log, 'error'>
  /** Something waits to be brought to the provider. */
  hint: () => void
}

export type Tokens = {
  /** Those that have not expired, the newest first. */
  list(orgId: string): Promise<Token[]>
  /** @throws AppError 400 naming `policy_id`, `duration_hours` or `org_id`, 429 or 500 */
  create(userId: string, orgId: string, request: CreateToken): Promise<Token>
}

const HOUR_SECONDS = 3600
const DURATION_MIN_SECONDS = 60

export function createTokens(deps: TokenDependencies): Tokens {
  const { db, clock } = deps
  const allowance = createAllowance(db)
  return {
    list: async (orgId) => await openTokens(deps, await listTokens(db, orgId, clock.now())),
    create: async (userId, orgId, request) => {
      const { duration_hours = DURATION_DEFAULT_HOURS } = request
      const seconds = Math.round(duration_hours * HOUR_SECONDS)
      if (seconds < DURATION_MIN_SECONDS) {
        throw invalidRequest('duration_hours', 'duration_hours must be a minute at least, 1/60')
      }
      const subjects = await getSubjects(db, orgId, request.policy_id)
      const { one_time = false } = request
      const wanted = { ...subjects, duration_hours, seconds, one_time, userId }
      return await allowance.within(orgId, clock.now(), async () => await make(deps, wanted))
    },
  }
}

type Wanted = Awaited<ReturnType<typeof getSubjects>> & {
  duration_hours: number
  seconds: number
  one_time: boolean
  userId: string
}

async function make(deps: TokenDependencies, wanted: Wanted): Promise<Token> {
  const { enterprise, policy, duration_hours, seconds, one_time, userId } = wanted
  await publishIfAbsent(deps, enterprise.name, policy)
  const asked_at = deps.clock.now()
  const id = deps.newId(asked_at)
  const answer = await deps.provider.createEnrollmentToken(enterprise.name, {
    policyName: policyNameOf(enterprise.name, policy.id),
    duration: `${seconds}s`,
    oneTimeOnly: one_time,
    allowPersonalUsage: personalUsageOf(policy.management_mode),
    additionalData: JSON.stringify({ token_id: id }),
  })
  const made = valueOf(answer, 'policy_id')
  const row: TokenRow = {
    org_id: policy.org_id,
    id,
    policy_id: policy.id,
    management_mode: policy.management_mode,
    provider_name: made.name,
    duration_hours,
    one_time,
    ...(await sealToken(deps.sealer, id, made)),
    expires_at: expiryOf(made, new Date(asked_at.getTime() + seconds * 1000)),
    created_by: userId,
    created_at: asked_at,
  }
  await deps.db.transaction().execute(async (tx) => await store(deps, tx, row, userId))
  return await openToken(deps.sealer, row)
}

async function getSubjects(db: Db, orgId: string, policyId: string) {
  const enterprise = await findEnterprise(db, orgId)
  if (!enterprise) throw invalidRequest('org_id', 'org_id has no enterprise yet; create it first')
  const policy = isUuid(policyId) ? await findPolicy(db, orgId, policyId) : undefined
  if (!policy) throw invalidRequest('policy_id', 'policy_id is of no policy of this organisation')
  return { enterprise, policy }
}

/**
 * A token that was made for another mode than its policy has by now is not told to anybody, and ends by
 * itself: nothing can be enrolled with it.
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
    throw invalidRequest('policy_id', 'policy_id is of a policy that was just changed; try again')
  }
  await insertToken(tx, row)
  const expires_at = row.expires_at.toISOString()
  await insertAuditEntries(tx, [
    auditEntry(newId, row.created_at, {
      org_id,
      action: 'enrollment_token.created',
      actor: userActor(userId),
      target: { type: 'enrollment_token', id },
      after: { policy_id, management_mode, duration_hours, one_time, expires_at },
    }),
  ])
}

const personalUsageOf = (mode: ManagementMode) =>
  mode === 'work_profile' ? 'PERSONAL_USAGE_ALLOWED' : 'PERSONAL_USAGE_DISALLOWED'

function expiryOf({ expirationTimestamp }: WireEnrollmentToken, fallback: Date): Date {
  const expiry = new Date(expirationTimestamp)
  return Number.isNaN(expiry.getTime()) ? fallback : expiry
}

const contextOf = (id: string): string => `mdm_enrollment_token:${id}`

async function sealToken(sealer: Sealer, id: string, made: WireEnrollmentToken) {
  return {
    token_value: await sealer.seal(made.value, contextOf(id)),
    qr_content: await sealer.seal(made.qrCode, contextOf(id)),
  }
}

/** One that cannot be opened, such as of a key that is lost, does not keep the others from being told. */
async function openTokens(
  { sealer, log }: TokenDependencies,
  rows: readonly TokenRow[],
): Promise<Token[]> {
  const opened = await Promise.allSettled(rows.map(async (row) => await openToken(sealer, row)))
  const failures = opened.flatMap((each, index) =>
    each.status === 'rejected' ? [{ id: rows[index]?.id, reason: each.reason as unknown }] : [],
  )
  if (failures.length > 0) {
    const token_ids = failures.map(({ id }) => id)
    log.error({ err: failures[0]?.reason, token_ids }, 'enrolment tokens cannot be opened')
  }
  return opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}

async function openToken(sealer: Sealer, row: TokenRow): Promise<Token> {
  const { id, policy_id, management_mode, duration_hours, one_time } = row
  const open = async (sealed: string) => (await sealer.open(sealed, contextOf(id))).toString('utf8')
  return {
    id,
    policy_id,
    management_mode,
    duration_hours,
    one_time,
    token_value: await open(row.token_value),
    qr_content: await open(row.qr_content),
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }
}
