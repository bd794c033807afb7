import { createHash } from 'node:crypto'
import { canonicalJson } from '../../platform/canonical-json.ts'
import { AppError, invalidRequest, notFound } from '../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { createLookupDeadline } from '../../platform/lookup-cache/index.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { StateId } from '../../platform/states/index.ts'
import { type CreditRule, creditsUsedUp, isOutOfCredits } from '../billing/index.ts'
import type { RuleSource, RulesInEffect } from '../custom-rules/index.ts'
import { emitEvents } from '../events/index.ts'
import type { Lists } from '../lists/index.ts'
import { type Committed, createCommitter, type PreparedCheck } from './commit.ts'
import { fingerprintOf } from './device.ts'
import {
  type CheckContext,
  type FindingsDependencies,
  type Gathered,
  gather,
  listMatches,
} from './findings.ts'
import type { CountedIdentity } from './identities.ts'
import { findSandboxOutcome } from './sandbox/outcomes.ts'
import type { CheckRequest, CheckResult } from './schema.ts'
import { createOpenDevice, type OpenedDevice } from './signed-report/open.ts'
import { findEventId, findResult } from './store.ts'

export type Checks = {
  run(context: CheckContext, request: CheckRequest): Promise<CheckResult>
  get(orgId: string, mode: Mode, checkId: string): Promise<CheckResult>
  /** Resolves when every check in progress is committed. */
  drain(): Promise<void>
}

export type ChecksDependencies = FindingsDependencies &
  CreditRule & {
    directory: Database
    db: Database
    log: Log
    newId: NewId
    stateId: StateId
    lists: Pick<Lists, 'entries'>
    rules: RuleSource
    check_credits: number
    check_deadline_ms: number
    device_report_minutes: number
    /** Runs after checks and their events were committed. */
    onCommitted?: () => void
  }

export function createChecks(deps: ChecksDependencies): Checks {
  const { db, clock, newId, log } = deps
  const openDevice = createOpenDevice(deps.directory, deps.device_report_minutes)
  const committer = createCommitter({ db, newId, onCommitted: deps.onCommitted })

  /** Returns the stored result of a retry; throws 400 for a different request with the id (OP-8). */
  const resultOfEvent = async (
    { org_id, mode }: CheckContext,
    eventId: string,
    hash: Buffer,
  ): Promise<CheckResult | undefined> => {
    const earlier = await findEventId(db, { org_id, mode, event_id: eventId })
    if (!earlier) return undefined
    if (!earlier.payload_hash.equals(hash)) {
      throw invalidRequest('event_id', 'event_id was used before for a different request')
    }
    return await findResult(db, org_id, mode, earlier.check_id)
  }

  const findRetried = async (context: CheckContext, check: PreparedCheck): Promise<CheckResult> => {
    const { event_id } = check.request
    if (event_id !== undefined && check.payload_hash !== undefined) {
      const result = await resultOfEvent(context, event_id, check.payload_hash)
      if (result) return result
    }
    throw new Error(`check ${check.id} is a retry, but its event_id has no stored check`)
  }

  /** A failed commit may have taken place: its response was lost, but its result can be found. */
  const commit = async (context: CheckContext, check: PreparedCheck): Promise<Committed> => {
    try {
      return await committer.submit(check)
    } catch (error) {
      const result = await findResult(db, context.org_id, context.mode, check.id).catch(
        () => undefined,
      )
      if (result) return { state: 'stored', result }
      throw error
    }
  }

  const requireCredits = async (context: CheckContext): Promise<void> => {
    if (await isOutOfCredits(deps, context)) throw creditsUsedUp()
  }

  const execute = async (
    context: CheckContext,
    request: CheckRequest,
    checkId: string,
    now: Date,
  ): Promise<CheckResult> => {
    const { event_id } = request
    const payload_hash = event_id === undefined ? undefined : hashPayload(request)
    if (event_id !== undefined && payload_hash !== undefined) {
      const earlier = await resultOfEvent(context, event_id, payload_hash)
      if (earlier) return earlier
    }
    // Retries are handled before: their checks were paid for already.
    await requireCredits(context)
    const opened = await openDevice(context, request, now)
    const { findings, identities, rules } = await gatherFindings(deps, context, opened, now)
    const check: PreparedCheck = {
      id: checkId,
      org_id: context.org_id,
      mode: context.mode,
      key_id: context.key_id,
      request: opened.request,
      payload_hash,
      findings,
      rules,
      identities,
      device_id: deviceIdOf(deps.stateId, context, opened.request, identities),
      credits: context.mode === 'live' ? deps.check_credits : 0,
      created_at: now,
    }
    const committed = await commit(context, check)
    if (rules) deps.rules.switchOffSlow(context, rules)
    return committed.state === 'stored' ? committed.result : await findRetried(context, check)
  }

  const reportFailure = async (
    { org_id, mode }: CheckContext,
    data: { check_id: string; email: string },
    now: Date,
  ): Promise<void> => {
    const event = { id: newId(now), org_id, mode, data, occurred_at: now }
    await emitEvents(db, [{ ...event, type: 'email.check.failed' }]).catch((error: unknown) =>
      log.error({ err: error, org_id }, 'email.check.failed could not be recorded'),
    )
  }

  return {
    run: async (context, request) => {
      refuseIncomplete(request)
      const now = clock.now()
      const checkId = newId(now)
      try {
        return await execute(context, request, checkId, now)
      } catch (error) {
        const isRefusal = error instanceof AppError && error.status !== 500
        if (!isRefusal && request.email !== undefined) {
          await reportFailure(context, { check_id: checkId, email: request.email }, now)
        }
        throw error
      }
    },
    get: async (orgId, mode, checkId) => {
      const result = isUuid(checkId) ? await findResult(db, orgId, mode, checkId) : undefined
      if (!result) throw notFound()
      return result
    },
    drain: async () => {
      await committer.drain()
      await deps.cache.drain()
    },
  }
}

/** Rules across fields, for which a schema has no plain error messages (specification, "Check"). */
function refuseIncomplete(request: CheckRequest): void {
  if ('ip_address' in request) {
    throw invalidRequest(
      'ip_address',
      'ip_address must not be sent; the client IP is derived by the service',
    )
  }
  const { email, phone, device } = request
  if (email === undefined && phone === undefined && device === undefined) {
    throw invalidRequest('email', 'At least one of phone, email or device is required')
  }
}

/** Sandbox values are matched before anything is parsed; they use no network and are not counted. */
async function gatherFindings(
  deps: ChecksDependencies,
  context: CheckContext,
  opened: OpenedDevice,
  now: Date,
): Promise<Gathered & { rules: RulesInEffect | undefined }> {
  const { request } = opened
  const sandbox = context.mode === 'test' ? findSandboxOutcome(request, now) : undefined
  if (sandbox) return { findings: sandbox, identities: [], rules: undefined }
  const rules = await deps.rules.active(context)
  const entries = await deps.lists.entries(context)
  const lists = listMatches(entries, context, request, now)
  const deadline = createLookupDeadline(deps.check_deadline_ms)
  const { findings, identities } = await gather(deps, context, opened, deadline)
  return { findings: { ...findings, lists }, identities, rules }
}

/** A check of sandbox values has no identities: its device must not be linked to any risk. */
function deviceIdOf(
  stateId: StateId,
  context: CheckContext,
  { device }: CheckRequest,
  identities: readonly CountedIdentity[],
): string | undefined {
  const fingerprint = identities.length > 0 ? fingerprintOf(device) : undefined
  return fingerprint === undefined ? undefined : stateId(context, 'device', fingerprint)
}

/** Hashes only the documented members: ignored ones make no difference (OP-37). */
function hashPayload(request: CheckRequest): Buffer {
  const { email, phone, device, behavior, event_type, metadata } = request
  const payload = canonicalJson({ email, phone, device, behavior, event_type, metadata })
  return createHash('sha256').update(payload).digest()
}
