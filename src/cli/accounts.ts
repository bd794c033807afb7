/** `vigil org`, `vigil user` and `vigil token`: organizations, users and tokens without a password. */
import {
  type Accounts,
  type DescribedAccount,
  type PasswordFault,
  passwordMessage,
} from '../modules/accounts/index.ts'
import type { Plan, Role } from '../modules/accounts/tables.ts'
import { isUuid } from '../platform/ids.ts'
import { withAccounts } from './command.ts'
import type { Api } from './configuration/api.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { remoteApi } from './remote/api.ts'

export const createOrganization = async (
  io: Io,
  { name, plan }: Options & { name: string; plan: Plan },
): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    if (name.trim() === '') throw new CommandError('--name must not be empty')
    const { id } = await accounts.createOrganization({ name, plan })
    return { json: { org_id: id }, lines: [`Organization ${id} created on the ${plan} plan`] }
  })

export const listOrganizations = async (
  io: Io,
  options: Options & { after?: string; limit: number },
): Promise<Output> => {
  const api = remoteApi(io)
  return api ? await listOwn(api) : await listAll(io, options)
}

type Me = { organizations: { id: string; name: string; plan: Plan; role: Role }[] }

/** Those that the token of `vigil login` reaches. */
async function listOwn(api: Api): Promise<Output> {
  const { organizations: own } = await api.get<Me>('/console/api/me')
  const organizations = own.map(({ id, name, plan, role }) => ({ org_id: id, name, plan, role }))
  return {
    json: { organizations, next: null },
    lines: organizations.map(({ org_id, name, plan, role }) =>
      [org_id, plan.padEnd('business'.length), role, name].join('  '),
    ),
  }
}

const listAll = async (
  io: Io,
  { after, limit }: Options & { after?: string; limit: number },
): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    if (after !== undefined && !isUuid(after)) throw new CommandError('--after must be an id')
    const page = { limit: limit + 1, ...(after !== undefined && { after }) }
    const found = await accounts.listAllOrganizations(page)
    const listed = found.slice(0, limit)
    const next = found.length > limit ? (listed.at(-1)?.id ?? null) : null
    const organizations = listed.map(({ id, ...rest }) => ({ org_id: id, ...rest }))
    const lines = organizations.map(({ org_id, plan, members, created_at, name }) => {
      const created = created_at.toISOString().slice(0, 'YYYY-MM-DD'.length)
      return [org_id, plan.padEnd('business'.length), `${members} members`, created, name].join(
        '  ',
      )
    })
    if (next !== null) lines.push(`There are more: --after ${next}`)
    return { json: { organizations, next }, lines }
  })

export const setPlan = async (
  io: Io,
  { org: orgId, plan }: Options & { org: string; plan: Plan },
): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    const isDone = await accounts.setPlan(orgId, plan)
    if (!isDone) throw new CommandError(`Organization ${orgId} does not exist`)
    return {
      json: { org_id: orgId, plan },
      lines: [`Organization ${orgId} is now on the ${plan} plan`],
    }
  })

export const createUser = async (
  io: Io,
  { org: orgId, email, role }: Options & { org: string; email: string; role: Role },
): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    if (!(await accounts.findOrganization(orgId))) {
      throw new CommandError(`Organization ${orgId} does not exist`)
    }
    const [member] = await accounts.listUsers(email, orgId)
    if (member) throw new CommandError(`User ${member.id} of this organization has this e-mail`)
    const created = await accounts.createUser({ email })
    if ('refused' in created) throw new CommandError(refusalText(created.refused))
    await accounts.setMember(orgId, created.user_id, role)
    const password = created.generated_password ?? ''
    return {
      json: { user_id: created.user_id, password },
      lines: [`User ${created.user_id} created`, `Password (shown once): ${password}`],
    }
  })

type UserOptions = Options & { email: string; org?: string }

/**
 * Finds the user that the options mean. Without an organization, the one that has proved the e-mail
 * comes before those who only accepted an invitation with it.
 */
async function chosenUser(
  accounts: Accounts,
  { email, org }: UserOptions,
): Promise<DescribedAccount> {
  const users = await accounts.listUsers(email, org)
  const [first, ...others] = users
  if (!first) throw new CommandError(`User ${email} does not exist`)
  if (first.is_proved || others.length === 0) return first
  const lines = users.map(({ id, organizations }) => {
    const names = organizations.map((each) => `${each.name} (${each.id})`)
    return `  ${id}: ${names.join(', ') || 'no organization'}`
  })
  throw new CommandError(
    [`Several users have the e-mail ${email}. Choose one with --org:`, ...lines].join('\n'),
  )
}

export const resetPassword = async (io: Io, options: UserOptions): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    const { id, email } = await chosenUser(accounts, options)
    const changed = await accounts.setPassword(id)
    if ('refused' in changed) throw new CommandError(`User ${email} does not exist`)
    const password = changed.generated_password ?? ''
    return {
      json: { user_id: id, password },
      lines: [`Password of ${email} (shown once): ${password}`],
    }
  })

export const proveEmail = async (io: Io, options: UserOptions): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    const { id, email } = await chosenUser(accounts, options)
    const proved = await accounts.proveEmail(id)
    if (proved !== 'done') throw new CommandError(refusalText(proved.refused))
    return { json: { user_id: id, email }, lines: [`User ${id} owns ${email}`] }
  })

/** Without a mail server, neither address can confirm the change. */
export const changeEmail = async (
  io: Io,
  { to, ...options }: UserOptions & { to: string },
): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    const { id, email } = await chosenUser(accounts, options)
    const changed = await accounts.setEmail(id, to.trim())
    if (changed !== 'done') throw new CommandError(refusalText(changed.refused, '--to'))
    return {
      json: { user_id: id, from: email, to: to.trim() },
      lines: [`User ${id} signs in with ${to.trim()} instead of ${email}; all sessions have ended`],
    }
  })

export const dropSecondFactor = async (io: Io, options: UserOptions): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    const { id, email } = await chosenUser(accounts, options)
    if (!(await accounts.dropSecondFactor(id))) {
      throw new CommandError(`User ${email} has no second factor`)
    }
    return { json: { user_id: id, email }, lines: [`${email} signs in with the password only`] }
  })

type Refused = PasswordFault | 'email_invalid' | 'email_taken' | 'not_found'

function refusalText(refused: Refused, option = '--email'): string {
  if (refused === 'email_invalid') return `${option} must be an e-mail address`
  if (refused === 'email_taken') return 'Another user owns this e-mail address'
  return refused === 'not_found' ? 'The user does not exist' : passwordMessage(refused)
}

const TOKEN_DAYS_MAX = 366

export const issueTokens = async (
  io: Io,
  { days, ...options }: UserOptions & { days?: number },
): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    if (days !== undefined && days > TOKEN_DAYS_MAX) {
      throw new CommandError(`--days must be at most ${TOKEN_DAYS_MAX}`)
    }
    const { id, email } = await chosenUser(accounts, options)
    if (days !== undefined) return await issueLongToken(accounts, { id, email, days })
    const tokens = await accounts.issueTokens(id)
    if (!tokens) throw new CommandError(`User ${email} does not exist`)
    return {
      json: tokens,
      lines: [
        `Access token (until ${tokens.expires_at.toISOString()}): ${tokens.access_token}`,
        `Refresh token: ${tokens.refresh_token}`,
      ],
    }
  })

async function issueLongToken(
  accounts: Pick<Accounts, 'issueLongToken'>,
  { id, email, days }: { id: string; email: string; days: number },
): Promise<Output> {
  const token = await accounts.issueLongToken(id, days)
  if (!token) throw new CommandError(`User ${email} does not exist`)
  const until = token.expires_at.toISOString()
  return { json: token, lines: [`Access token (until ${until}): ${token.access_token}`] }
}
