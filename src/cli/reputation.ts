/** `vigil reputation`: explains and corrects what organizations say about identities. */
import { createScoring } from '../app/scoring.ts'
import type { Organization } from '../modules/accounts/index.ts'
import {
  type ExplainedOpinion,
  type Explanation,
  emailOf,
  type NamedIdentity,
  type ReputationOperator,
} from '../modules/reputation/index.ts'
import { isUuid } from '../platform/ids.ts'
import type { Mode } from '../platform/owner.ts'
import { requireOrganization, withAccounts } from './command.ts'
import { CommandError, confirm, type Io, type Options, type Output } from './io.ts'

/** An email address is the `external_id` of a profile. */
export type Kind = 'phone' | 'email' | 'device' | 'ip' | 'profile'

type ExplainOptions = Options & { mode: Mode; org?: string }
type RevokeOptions = Options & { kind?: Kind; value?: string; yes?: boolean }

export async function explainIdentity(
  io: Io,
  { mode, org }: ExplainOptions,
  kind = '',
  value = '',
): Promise<Output> {
  const identity = identityOf(kind as Kind, value)
  if (isPrivate(identity) && (org === undefined || !isUuid(org))) {
    throw new CommandError('--org is required: ids of profiles are unique per organization')
  }
  return await withOperator(io, async (operator) => {
    const explanation = await operator.explain({ ...identity, org_id: org ?? '', mode })
    return { json: { kind, mode, ...explanation }, lines: linesOf(explanation) }
  })
}

/** @param is_trusted null lets age and requests decide */
export const setTrust =
  (is_trusted: boolean | null) =>
  async (io: Io, _options: Options, org_id = ''): Promise<Output> =>
    await withOperator(io, async (operator, find) => {
      const organization = await find(org_id)
      await operator.setTrust(org_id, is_trusted)
      return { json: { org_id, is_trusted }, lines: [trustLine(organization, is_trusted)] }
    })

function trustLine({ name }: Organization, isTrusted: boolean | null): string {
  if (isTrusted === null) return `Age and requests decide whether opinions of ${name} count`
  return `Opinions of ${name} ${isTrusted ? 'count for others' : 'count for itself only'}`
}

export async function revokeOpinions(
  io: Io,
  { kind, value, yes }: RevokeOptions,
  org_id = '',
): Promise<Output> {
  if ((kind === undefined) !== (value === undefined)) {
    throw new CommandError('--kind and --value belong together')
  }
  const identity = kind && identityOf(kind, value ?? '')
  return await withOperator(io, async (operator, find) => {
    const { name } = await find(org_id)
    const opinions = await operator.count(org_id, identity)
    const question = `Delete ${opinions} opinions of ${name}?`
    if (opinions > 0 && yes !== true) await confirm(io, question)
    const revoked = await operator.revoke(org_id, identity)
    return { json: { org_id, revoked }, lines: [`${revoked} opinions of ${name} deleted`] }
  })
}

const withOperator = async <T>(
  io: Io,
  run: (operator: ReputationOperator, find: (orgId: string) => Promise<Organization>) => Promise<T>,
): Promise<T> =>
  await withAccounts(io, async (accounts, core) => {
    const { reputation_operator } = createScoring(core, accounts)
    return await run(reputation_operator, (orgId) => requireOrganization(accounts, orgId))
  })

function identityOf(kind: Kind, value: string): NamedIdentity {
  if (kind !== 'email') return { kind, value }
  if (emailOf(value) === undefined) throw new CommandError(`${value} is not an email address`)
  return { kind: 'profile', value }
}

/** Whether only the organization itself knows the identity by this name. */
const isPrivate = ({ kind, value }: NamedIdentity): boolean =>
  kind === 'profile' && emailOf(value) === undefined

function linesOf({ shared_score, voices, voices_needed, opinions }: Explanation): string[] {
  if (opinions.length === 0) return ['No organization has an opinion']
  return [
    `Score for an organization without an opinion: ${shared_score}`,
    `Independent voices: ${voices}; needed: ${voices_needed}`,
    ...opinions.map(lineOf),
  ]
}

function lineOf(opinion: ExplainedOpinion): string {
  const { org_id, name, voice_id, bad, good, updated_at, age_days, why_not } = opinion
  const voice = voice_id === org_id ? '' : `, one voice with ${voice_id}`
  return [
    org_id,
    name,
    `bad ${bad.toFixed(2)}`,
    `good ${good.toFixed(2)}`,
    updated_at.toISOString().slice(0, 'YYYY-MM-DD'.length),
    age_days === null ? 'new' : `${age_days} days old`,
    `${why_not === null ? 'counts' : REASONS[why_not](opinion)}${voice}`,
  ].join('  ')
}

const REASONS: Record<
  NonNullable<ExplainedOpinion['why_not']>,
  (opinion: ExplainedOpinion) => string
> = {
  distrusted: () => 'does not count: not trusted',
  too_young: () => 'does not count: too young',
  too_few_requests: ({ requests }) => `does not count: only ${requests ?? 0} requests`,
  weak: ({ shared_bad }) => `does not count: too weak (${shared_bad.toFixed(2)} for others)`,
}
