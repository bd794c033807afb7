/** `vigil reputation`: explains and corrects what organizations say about identities. */
import { Argument, type Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import { MODES, oneOf } from '../options.ts'
import type { Kind } from '../reputation.ts'

const KINDS: readonly Kind[] = ['phone', 'email', 'device', 'ip', 'profile']

const VALUES =
  'phone number in E.164, email address, fingerprint_hash, ip_hash, or external_id of a profile'

const load = () => import('../reputation.ts')

export function reputationCommands(program: Command, io: Io): void {
  const reputation = program
    .command('reputation')
    .description('explain and correct the reputation that organizations share')
  explainCommand(reputation, io)
  trustCommands(reputation, io)
  revokeCommand(reputation, io)
}

function explainCommand(reputation: Command, io: Io): void {
  setAction(
    reputation
      .command('explain')
      .description('show who said what about an identity, and whether it counts for others')
      .addArgument(new Argument('<kind>', 'kind of the identity').choices(KINDS))
      .argument('<value>', VALUES)
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the opinions').default('live'))
      .option('--org <org_id>', 'organization of the profile, unless its id is an email address'),
    io,
    async () => (await load()).explainIdentity,
  )
}

const TRUST = [
  ['trust', true, 'let the opinions of an organization count for others regardless of its age'],
  ['distrust', false, 'let the opinions of an organization count for itself only'],
  ['reset', null, 'let age and requests decide whether the opinions of an organization count'],
] as const

function trustCommands(reputation: Command, io: Io): void {
  for (const [name, is_trusted, description] of TRUST) {
    setAction(
      reputation.command(name).description(description).argument('<org_id>', 'the organization'),
      io,
      async () => (await load()).setTrust(is_trusted),
    )
  }
}

function revokeCommand(reputation: Command, io: Io): void {
  setAction(
    reputation
      .command('revoke')
      .description('delete the opinions of an organization, about one identity or all')
      .argument('<org_id>', 'the organization')
      .addOption(oneOf('--kind <kind>', KINDS, 'kind of the identity'))
      .option('--value <value>', VALUES)
      .option('--yes', 'delete without a question'),
    io,
    async () => (await load()).revokeOpinions,
  )
}
