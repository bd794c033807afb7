/** `vigil credits`: grants credits and shows balances. */
import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { CommandError, type Io, type Options, setAction, withAccounts } from './command.ts'
import { credits as creditAmount } from './options.ts'

type OrgOptions = Options & { org: string }

export function creditCommands(program: Command, io: Io): void {
  const credits = program.command('credits').description('manage credits')
  setAction<OrgOptions & { amount: number; reason: string; idempotencyKey?: string }>(
    credits
      .command('grant')
      .description('add credits to the balance of an organization')
      .requiredOption('--org <org_id>', 'id of the organization')
      .requiredOption('--amount <credits>', 'number of credits to add', creditAmount)
      .option('--reason <text>', 'reason to record in the ledger', 'granted by the operator')
      .option('--idempotency-key <key>', 'grant only once for this key, even if repeated'),
    io,
    ({ org, amount, reason, idempotencyKey }) =>
      withAccounts(io, async ({ billing }) => {
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
      }),
  )
  setAction<OrgOptions>(
    credits
      .command('balance')
      .description('show the balance, the usage not yet debited and differences in the books')
      .requiredOption('--org <org_id>', 'id of the organization'),
    io,
    ({ org }) =>
      withAccounts(io, async ({ billing }) => {
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
      }),
  )
}

const REFUSALS = {
  not_found: (org: string) => `Organization ${org} does not exist`,
  credits_invalid: () => '--amount must be a positive number with up to 4 decimals',
  key_reused: () => 'This idempotency key was already used for another grant',
}
