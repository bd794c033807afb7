/** `vigil org`, `vigil user` and `vigil token`: organizations, users and tokens without a password. */
import type { Command } from 'commander'
import { PLANS, ROLES } from '../../modules/accounts/tables.ts'
import { type Io, setAction } from '../io.ts'
import { count, oneOf, withExportOptions } from '../options.ts'

const LISTED_DEFAULT = 1000
const PAUSE_SECONDS = 30
const SETTLE_SECONDS = 60

const load = () => import('../accounts.ts')
const loadSignIn = () => import('../organization-sign-in.ts')
const loadMove = () => import('../move.ts')
const loadData = () => import('../organization-data.ts')

export function accountCommands(program: Command, io: Io): void {
  const org = program.command('org').description('manage organizations')
  setAction(
    org
      .command('create')
      .description('create an organization')
      .requiredOption('--name <name>', 'name of the organization')
      .addOption(oneOf('--plan <plan>', PLANS, 'plan of the organization').default('starter')),
    io,
    async () => (await load()).createOrganization,
  )
  setAction(
    org
      .command('list')
      .description('list all organizations, the oldest first')
      .option('--limit <count>', 'maximum number of organizations', count, LISTED_DEFAULT)
      .option('--after <org_id>', 'id of the last organization of the previous list'),
    io,
    async () => (await load()).listOrganizations,
  )
  setAction(
    org
      .command('plan')
      .description('change the plan of an organization')
      .requiredOption('--org <org_id>', 'id of the organization')
      .addOption(oneOf('--plan <plan>', PLANS, 'new plan').makeOptionMandatory()),
    io,
    async () => (await load()).setPlan,
  )
  setAction(
    org
      .command('sign-in')
      .description('set how the members of an organization have to sign in')
      .requiredOption('--org <org_id>', 'id of the organization')
      .addOption(
        oneOf('--second-factor <policy>', ['required', 'optional'], 'whether members need one'),
      )
      .addOption(
        oneOf(
          '--single-sign-on <provider>',
          ['own', 'installation', 'optional'],
          'the provider that members have to use',
        ),
      )
      .option('--break-glass <email>', 'the owner who may sign in without that provider')
      .option('--domains <domains>', 'e-mail domains of the organization, separated by commas'),
    io,
    async () => (await loadSignIn()).setSignIn,
  )
  setAction(
    withExportOptions(
      org
        .command('export')
        .description('write all data of an organization into a folder, as vigil export does'),
    ),
    io,
    async () => (await loadData()).exportOrganization,
  )
  setAction(
    org
      .command('delete')
      .description('delete the data of an organization, except what the books need')
      .requiredOption('--org <org_id>', 'id of the organization')
      .option('--name <name>', 'name of the organization, as a confirmation'),
    io,
    async () => (await loadData()).deleteOrganization,
  )
  setAction(
    org
      .command('move')
      .description('move an organization to another cell while it is in use')
      .argument('<org>', 'id of the organization')
      .option('--to <cell>', 'name of the cell')
      .option('--pause <seconds>', 'how long writes may wait at most', count, PAUSE_SECONDS)
      .option(
        '--settle <seconds>',
        'how long the old cell refuses writes after the switch',
        count,
        SETTLE_SECONDS,
      )
      .option('--status', 'show how far the move is')
      .option('--cancel', 'give up a move that has not switched yet'),
    io,
    async () => (await loadMove()).moveOrganizationTo,
  )
  userCommands(program, io)
  setAction(
    withUser(
      program
        .command('token')
        .description('issue an access token and a refresh token for a user')
        .option('--days <count>', 'an access token for this many days, for programs', count),
    ),
    io,
    async () => (await load()).issueTokens,
  )
}

function userCommands(program: Command, io: Io): void {
  const user = program.command('user').description('manage users')
  setAction(
    withUser(
      user
        .command('password')
        .description('reset the password of a user and end all their sessions'),
    ),
    io,
    async () => (await load()).resetPassword,
  )
  setAction(
    withUser(
      user
        .command('prove')
        .description('confirm that a user who accepted an invitation owns the e-mail address'),
    ),
    io,
    async () => (await load()).proveEmail,
  )
  setAction(
    withUser(
      user
        .command('email')
        .description('change the e-mail address of a user and end all their sessions')
        .requiredOption('--to <email>', 'new e-mail address'),
    ),
    io,
    async () => (await load()).changeEmail,
  )
  setAction(
    withUser(
      user
        .command('drop-second-factor')
        .description(
          'remove the second factor of a user who lost the phone and the recovery codes',
        ),
    ),
    io,
    async () => (await load()).dropSecondFactor,
  )
  setAction(
    user
      .command('create')
      .description('create a user with a generated password and add it to an organization')
      .requiredOption('--org <org_id>', 'id of the organization')
      .requiredOption('--email <email>', 'e-mail address to sign in with')
      .addOption(oneOf('--role <role>', ROLES, 'role in the organization').makeOptionMandatory()),
    io,
    async () => (await load()).createUser,
  )
}

/** Options that choose a user. */
const withUser = (command: Command): Command =>
  command
    .requiredOption('--email <email>', 'e-mail address of the user')
    .option('--org <org_id>', 'an organization of the user, if several users have the e-mail')
