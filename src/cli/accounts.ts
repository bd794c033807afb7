/** `vigil org`, `vigil user`, `vigil token`: organisations, people and sign-in without a password. */
import type { Command } from 'commander'
import { PLANS, type Plan, ROLES, type Role } from '../platform/postgres/tables/accounts.ts'
import { answering, CommandError, type Io, type Options, withServices } from './command.ts'
import { oneOf } from './options.ts'

export function accountCommands(program: Command, io: Io): void {
  const org = program.command('org').description('manage organisations')
  answering<Options & { name: string; plan: Plan }>(
    org
      .command('create')
      .description('create an organisation')
      .requiredOption('--name <name>', 'name of the organisation')
      .addOption(oneOf('--plan <plan>', PLANS, 'plan').default('starter')),
    io,
    ({ name, plan }) =>
      withServices(io, async ({ services }) => {
        if (name.trim() === '') throw new CommandError('--name must not be empty')
        const { id } = await services.accounts.createOrganization({ name, plan })
        return { json: { org_id: id }, lines: [`Organisation ${id} created on the ${plan} plan`] }
      }),
  )
  answering<Options & { org: string; plan: Plan }>(
    org
      .command('plan')
      .description('change the plan of an organisation')
      .requiredOption('--org <org_id>', 'organisation')
      .addOption(oneOf('--plan <plan>', PLANS, 'plan').makeOptionMandatory()),
    io,
    ({ org: orgId, plan }) =>
      withServices(io, async ({ services }) => {
        const isDone = await services.accounts.setPlan(orgId, plan)
        if (!isDone) throw new CommandError(`There is no organisation ${orgId}`)
        return { json: { org_id: orgId, plan }, lines: [`Organisation ${orgId} is on ${plan} now`] }
      }),
  )
  userCommands(program, io)
  tokenCommand(program, io)
}

function userCommands(program: Command, io: Io): void {
  const user = program.command('user').description('manage people')
  passwordCommand(user, io)
  answering<Options & { org: string; email: string; role: Role }>(
    user
      .command('create')
      .description('create a user with a password, as member of an organisation')
      .requiredOption('--org <org_id>', 'organisation')
      .requiredOption('--email <email>', 'e-mail to sign in with')
      .addOption(oneOf('--role <role>', ROLES, 'role').makeOptionMandatory()),
    io,
    ({ org: orgId, email, role }) =>
      withServices(io, async ({ services: { accounts } }) => {
        if (!(await accounts.findOrganization(orgId))) {
          throw new CommandError(`There is no organisation ${orgId}`)
        }
        const created = await accounts.createUser({ email })
        if ('refused' in created) throw new CommandError(REFUSALS[created.refused])
        await accounts.setMember(orgId, created.user_id, role)
        const password = created.generated_password ?? ''
        return {
          json: { user_id: created.user_id, password },
          lines: [`User ${created.user_id} created`, `Password (shown once): ${password}`],
        }
      }),
  )
}

/** A new password ends all sessions of the user. */
function passwordCommand(user: Command, io: Io): void {
  answering<Options & { email: string }>(
    user
      .command('password')
      .description('give a user a new password; all sessions end')
      .requiredOption('--email <email>', 'e-mail of the user'),
    io,
    ({ email }) =>
      withServices(io, async ({ services: { accounts } }) => {
        const userId = await accounts.findUserId(email)
        const changed = userId === undefined ? undefined : await accounts.setPassword(userId)
        if (userId === undefined || !changed || 'refused' in changed) {
          throw new CommandError(`There is no user with the e-mail ${email}`)
        }
        const password = changed.generated_password ?? ''
        return {
          json: { user_id: userId, password },
          lines: [`Password of ${email} (shown once): ${password}`],
        }
      }),
  )
}

const REFUSALS = {
  email_invalid: '--email is not an e-mail address',
  email_taken: 'There is a user with this e-mail already',
  password_too_short: 'The password is too short',
  password_too_long: 'The password is too long',
}

function tokenCommand(program: Command, io: Io): void {
  answering<Options & { email: string }>(
    program
      .command('token')
      .description('issue an access and a refresh token for a user')
      .requiredOption('--email <email>', 'e-mail of the user'),
    io,
    ({ email }) =>
      withServices(io, async ({ services }) => {
        const tokens = await services.accounts.issueTokens(email)
        if (!tokens) throw new CommandError(`There is no user with the e-mail ${email}`)
        return {
          json: tokens,
          lines: [
            `Access token (until ${tokens.expires_at.toISOString()}): ${tokens.access_token}`,
            `Refresh token: ${tokens.refresh_token}`,
          ],
        }
      }),
  )
}
