/** Enterprise, policies, tokens and groups on a database, with a provider that a test can script. */

import { randomUUID } from 'node:crypto'
import { PROJECT } from '../../emulators/android-management/state.ts'
import { createEnterprises } from '../../src/modules/mdm/enterprise/service.ts'
import { createGroups } from '../../src/modules/mdm/groups/service.ts'
import { createPolicies } from '../../src/modules/mdm/policies/service.ts'
import type {
  AndroidManagement,
  Answer,
  ProviderFault,
} from '../../src/modules/mdm/providers/port.ts'
import { createTokens } from '../../src/modules/mdm/tokens/service.ts'
import { readMasterKeys } from '../../src/platform/crypto/master-key.ts'
import { createSealer } from '../../src/platform/crypto/sealed.ts'
import { readApiDescription } from '../../src/platform/google/api-description.ts'
import { createIds } from '../../src/platform/ids.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import type { Database, Db } from '../../src/platform/postgres/db.ts'
import { backendOf, untilBlockedBy } from './locks.ts'

export const USER = '0198c3a2-0000-7c3d-9a54-3f2b8e6d1c07'
export const NOW = new Date('2026-03-01T12:00:00.000Z')
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

type Provider = Pick<
  AndroidManagement,
  | 'projectId'
  | 'createSignupUrl'
  | 'createEnterprise'
  | 'patchPolicy'
  | 'createEnrollmentToken'
  | 'deleteEnrollmentToken'
>

export const answer = <T>(value: T): Answer<T> => ({ ok: true, value })
export const fails = (
  kind: ProviderFault['kind'],
  given: Partial<ProviderFault> = {},
): { ok: false; fault: ProviderFault } => ({
  ok: false,
  fault: { kind, message: `It is ${kind}.`, is_ambiguous: false, ...given },
})

/** Accepts every request and never returns a name twice. */
export const acceptingProvider = (): Provider => ({
  projectId: () => Promise.resolve(answer(PROJECT)),
  createSignupUrl: () =>
    Promise.resolve(
      answer({ name: `signupUrls/${randomUUID()}`, url: 'https://play.google.com/signup' }),
    ),
  createEnterprise: () =>
    Promise.resolve(
      answer({ name: `enterprises/LC${randomUUID()}`, enterpriseDisplayName: 'Stores' }),
    ),
  patchPolicy: () => Promise.resolve(answer({ version: 7 })),
  deleteEnrollmentToken: () => Promise.resolve(answer({})),
  createEnrollmentToken: (enterprise) => {
    const value = randomUUID()
    return Promise.resolve(
      answer({
        name: `${enterprise}/enrollmentTokens/${randomUUID()}`,
        value,
        qrCode: JSON.stringify({ token: value }),
        expirationTimestamp: '2026-03-08T12:00:00Z',
      }),
    )
  },
})

export type AdministrationOptions = {
  provider?: Partial<Provider>
  limits?: Partial<{
    policies: number
    policies_bytes: number
    groups: number
    policy_bytes: number
  }>
  log?: Pick<Log, 'error'>
  now?: Date
}

export function openAdministration(db: Database, options: AdministrationOptions = {}) {
  const hints: number[] = []
  const due: string[] = []
  const provider = { ...acceptingProvider(), ...options.provider }
  // Advances by a millisecond per call, so that audit entries sort in the order of their actions.
  let ticks = -1
  const clock = { now: () => new Date((options.now ?? NOW).getTime() + (ticks += 1)) }
  const newId = createIds()
  const masterKeys = readMasterKeys({ configured: MASTER_KEY, data_dir: '' })
  const api = readApiDescription('android-management')
  const common = { db, provider, clock, newId, hint: () => void hints.push(1) }
  return {
    hints,
    api,
    /** Ids of policies whose devices were marked for a new compliance check. */
    due,
    enterprises: createEnterprises(common),
    policies: createPolicies({
      ...common,
      api,
      markComplianceDue: (_tx, _orgId, policyId) => {
        due.push(policyId)
        return Promise.resolve()
      },
      limits: {
        mdm_policies_max: options.limits?.policies ?? 500,
        mdm_policies_max_bytes: options.limits?.policies_bytes ?? 8_388_608,
        mdm_policy_max_bytes: options.limits?.policy_bytes ?? 262_144,
      },
    }),
    tokens: createTokens({
      ...common,
      sealer: createSealer({ db, masterKeys, newId, clock }),
      log: options.log ?? createLog('silent'),
    }),
    groups: createGroups({
      ...common,
      progressOf: () => Promise.resolve(new Map()),
      mdm_groups_max: options.limits?.groups ?? 1000,
    }),
  }
}

export async function addEnterprise(db: Db, orgId: string): Promise<string> {
  const name = `enterprises/LC${randomUUID()}`
  const columns = { org_id: orgId, name, project_id: PROJECT, display_name: 'Stores' }
  const idle = { listing_due_at: NOW, listing_leased_until: null, listing_lease_id: null }
  await db
    .insertInto('mdm_enterprises')
    .values({ ...columns, ...idle, created_at: NOW })
    .execute()
  return name
}

/** The pending dispatches of an organization, each as `kind subject_id`. */
export async function dispatchesOf(db: Db, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('mdm_dispatches')
    .select(['kind', 'subject_id'])
    .where('org_id', '=', orgId)
    .orderBy('kind')
    .orderBy('subject_id')
    .execute()
  return rows.map(({ kind, subject_id }) => `${kind} ${subject_id}`)
}

/** The audit log of an organization, oldest entries first. */
export const auditOf = async (db: Db, orgId: string) =>
  await db
    .selectFrom('mdm_audit_log')
    .select(['action', 'actor_type', 'actor_id', 'target_id', 'device_id', 'before', 'after'])
    .where('org_id', '=', orgId)
    .orderBy('id')
    .execute()

/**
 * Runs `hold` in a transaction, starts `work` while it is open, and commits it once `work` waits for
 * one of its locks.
 */
export async function whileHeld<T>(
  db: Database,
  hold: (tx: Db) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<PromiseSettledResult<T>> {
  const outcome = await db.transaction().execute(async (tx) => {
    await hold(tx)
    const settled = Promise.allSettled([work()])
    await untilBlockedBy(db, await backendOf(tx))
    return { settled }
  })
  const [result] = await outcome.settled
  return result
}
