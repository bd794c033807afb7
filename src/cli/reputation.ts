/** `vigil reputation`: explains and corrects what organizations say about identities. */
import { Argument, type Command } from 'commander'
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
import {
  CommandError,
  confirm,
  type Io,
  type Options,
  requireOrganization,
  setAction,
  withAccounts,
} from './command.ts'
import { MODES, oneOf } from './options.ts'

/** An email address is the `external_id` of a profile. */
const KINDS = ['phone', 'email', 'device', 'ip', 'profile'] as const
type Kind = (typeof KINDS)[number]

type ExplainOptions = Options & { mode: Mode; org?: string }
type RevokeOptions = Options & { kind?: Kind; value?: string; yes?: boolean }

const VALUES =
  'phone number in E.164, email address, fingerprint_hash, ip_hash, or external_id of a profile'

export function reputationCommands(program: Command, io: Io): void {
  const reputation = program
    .command('reputation')
    .description('explain and correct the reputation that organizations share')
  explainCommand(reputation, io)
  trustCommands(reputation, io)
  revokeCommand(reputation, io)
}

function explainCommand(reputation: Command, io: Io): void {
  setAction<ExplainOptions>(
    reputation
      .command('explain')
      .description('show who said what about an identity, and whether it counts for others')
      .addArgument(new Argument('<kind>', 'kind of the identity').choices(KINDS))
      .argument('<value>', VALUES)
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the opinions').default('live'))
      .option('--org <org_id>', 'organization of the profile, unless its id is an email address'),
    io,
    async ({ mode, org }, kind = '', value = '') => {
      const identity = identityOf(kind as Kind, value)
      if (isPrivate(identity) && (org === undefined || !isUuid(org))) {
        throw new CommandError('--org is required: ids of profiles are unique per organization')
      }
      return await withOperator(io, async (operator) => {
        const explanation = await operator.explain({ ...identity, org_id: org ?? '', mode })
        return { json: { kind, mode, ...explanation }, lines: linesOf(explanation) }
      })
    },
  )
}

const TRUST = [
  ['trust', true, 'let the opinions of an organization count for others regardless of its age'],
  ['distrust', false, 'let the opinions of an organization count for itself only'],
  ['reset', null, 'let age and requests decide whether the opinions of an organization count'],
] as const

function trustCommands(reputation: Command, io: Io): void {
  for (const [name, is_trusted, description] of TRUST) {
    setAction<Options>(
      reputation.command(name).description(description).argument('<org_id>', 'the organization'),
      io,
      (_options, org_id = '') =>
        withOperator(io, async (operator, find) => {
          const organization = await find(org_id)
          await operator.setTrust(org_id, is_trusted)
          return { json: { org_id, is_trusted }, lines: [trustLine(organization, is_trusted)] }
        }),
    )
  }
}

function trustLine({ name }: Organization, isTrusted: boolean | null): string {
  if (isTrusted === null) return `Age and requests decide whether opinions of ${name} count`
  return `Opinions of ${name} ${isTrusted ? 'count for others' : 'count for itself only'}`
}

function revokeCommand(reputation: Command, io: Io): void {
  setAction<RevokeOptions>(
    reputation
      .command('revoke')
      .description('delete the opinions of an organization, about one identity or all')
      .argument('<org_id>', 'the organization')
      .addOption(oneOf('--kind <kind>', KINDS, 'kind of the identity'))
      .option('--value <value>', VALUES)
      .option('--yes', 'delete without a question'),
    io,
    async ({ kind, value, yes }, org_id = '') => {
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
    },
  )
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
