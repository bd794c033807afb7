/** `vigil credits`: grants credits, shows balances, and sets the level of a low balance. */
import { randomUUID } from 'node:crypto'
import { requireOrganization, withAccountsOf } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

type OrgOptions = Options & { org: string }

type GrantOptions = OrgOptions & { amount: number; reason: string; idempotencyKey?: string }

export const grantCredits = async (
  io: Io,
  { org, amount, reason, idempotencyKey }: GrantOptions,
): Promise<Output> =>
  await withAccountsOf(io, org, async ({ billing }) => {
    const key = idempotencyKey ?? randomUUID()
    const granted = await billing.grantCredits(org, amount, reason, key)
    if ('refused' in granted) throw new CommandError(REFUSALS[granted.refused](org))
    const funds = await billing.funds(org)
    const balance = funds?.balance_credits ?? 0
    return {
      json: { ...granted, ...funds },
      lines: [
        granted.granted
          ? `${amount} credits granted; the balance is ${balance}`
          : `Already granted under this key; the balance is ${balance}`,
      ],
    }
  })

export const showBalance = async (io: Io, { org }: OrgOptions): Promise<Output> =>
  await withAccountsOf(io, org, async ({ billing }) => {
    const balance = await billing.balance(org)
    if (!balance) throw new CommandError(`Organization ${org} does not exist`)
    return {
      json: { org_id: org, ...balance },
      lines: [
        `Balance           ${balance.balance_credits} credits`,
        `Not yet debited   ${balance.unposted_usage_credits} credits`,
        `Available         ${balance.available_credits} credits`,
        `Ledger difference ${balance.ledger_difference}`,
        `Usage difference  ${balance.usage_difference}`,
      ],
    }
  })

type LevelOptions = OrgOptions & { level?: number; automatic?: boolean }

export const setLowBalance = async (
  io: Io,
  { org, level, automatic = false }: LevelOptions,
): Promise<Output> =>
  await withAccountsOf(io, org, async (accounts) => {
    if ((level === undefined) !== automatic) {
      throw new CommandError('Name either --level or --automatic')
    }
    await requireOrganization(accounts, org)
    const low_balance_credits = level ?? null
    await accounts.low_balance.setLevel(org, low_balance_credits, null)
    const text = level === undefined ? 'what was used in the last seven days' : `${level} credits`
    return { json: { org_id: org, low_balance_credits }, lines: [`The level is ${text}`] }
  })

const REFUSALS = {
  not_found: (org: string) => `Organization ${org} does not exist`,
  credits_invalid: () => '--amount must be a positive number with up to 4 decimals',
  key_reused: () => 'This idempotency key was already used for another grant',
}
