/** `vigil org sign-in`: how the members of an organization have to sign in. */
import type { Accounts } from '../modules/accounts/index.ts'
import { isHost } from '../platform/net/address-text.ts'
import { withAccounts } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

type SignInOptions = Options & {
  org: string
  secondFactor?: 'required' | 'optional'
  singleSignOn?: 'own' | 'installation' | 'optional'
  breakGlass?: string
  domains?: string
}

type Done = { json: object; line: string }

export const setSignIn = async (io: Io, options: SignInOptions): Promise<Output> =>
  await withAccounts(io, async ({ accounts }) => {
    const { org } = options
    if (!(await accounts.findOrganization(org))) {
      throw new CommandError(`Organization ${org} does not exist`)
    }
    const done = [
      await setSecondFactor(accounts, options),
      await setDomains(accounts, options),
      await setProvider(accounts, options),
    ].filter((each) => each !== undefined)
    if (done.length === 0) {
      throw new CommandError('Name a change: --second-factor, --single-sign-on or --domains')
    }
    const json = Object.assign({ org_id: org }, ...done.map((each) => each.json)) as object
    return { json, lines: done.map(({ line }) => line) }
  })

async function setSecondFactor(
  accounts: Accounts,
  { org, secondFactor }: SignInOptions,
): Promise<Done | undefined> {
  if (secondFactor === undefined) return undefined
  const requires_second_factor = secondFactor === 'required'
  await accounts.setSignInPolicy(org, { requires_second_factor })
  const line = `A second factor is ${secondFactor} for members of ${org}`
  return { json: { requires_second_factor }, line }
}

async function setDomains(
  accounts: Accounts,
  { org, domains: text }: SignInOptions,
): Promise<Done | undefined> {
  if (text === undefined) return undefined
  const domains = text.split(',').flatMap((each) => each.trim() || [])
  const invalid = domains.find((each) => !isHost(each))
  if (invalid !== undefined) throw new CommandError(`--domains: ${invalid} is not a domain`)
  if ((await accounts.setDomains(org, domains)) === 'taken') {
    throw new CommandError('Another organization has one of these domains')
  }
  const line = `E-mail domains of ${org}: ${domains.join(', ') || 'none'}`
  return { json: { domains }, line }
}

const FAULTS: Readonly<Record<string, string>> = {
  no_provider: 'This provider is not set up',
  untested: 'An owner has to test the provider in the console first',
  no_break_glass: '--break-glass must be the e-mail of an owner',
  no_password: 'This owner has no password, so they could not sign in without the provider',
}

async function setProvider(
  accounts: Accounts,
  { org, singleSignOn, breakGlass }: SignInOptions,
): Promise<Done | undefined> {
  if (singleSignOn === undefined) return undefined
  const required_provider = singleSignOn === 'optional' ? null : singleSignOn
  const members = breakGlass === undefined ? [] : await accounts.listUsers(breakGlass, org)
  const break_glass_user_id = members[0]?.id ?? null
  const next = { required_provider, break_glass_user_id }
  const outcome = await accounts.requireProvider(org, next)
  if (outcome !== 'done') throw new CommandError(FAULTS[outcome] ?? outcome)
  const line =
    required_provider === null
      ? `Single sign-on is optional for members of ${org}`
      : `Single sign-on is required of members of ${org}, except ${breakGlass}`
  return { json: next, line }
}
