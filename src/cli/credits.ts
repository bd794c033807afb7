/** `vigil credits`: grant credits and see what is left. */
import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { answering, CommandError, type Io, type Options, withServices } from './command.ts'
import { credits as creditAmount } from './options.ts'

type OfOrg = Options & { org: string }

export function creditCommands(program: Command, io: Io): void {
  const credits = program.command('credits').description('grant credits and see what is left')
  answering<OfOrg & { amount: number; reason: string; idempotencyKey?: string }>(
    credits
      .command('grant')
      .description('add credits to the balance of an organisation')
      .requiredOption('--org <org_id>', 'organisation')
      .requiredOption('--amount <credits>', 'credits to add', creditAmount)
      .option('--reason <text>', 'why, for the ledger', 'granted by the operator')
      .option('--idempotency-key <key>', 'the same key grants once, however often it is sent'),
    io,
    ({ org, amount, reason, idempotencyKey }) =>
      withServices(io, async ({ services: { billing } }) => {
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
  answering<OfOrg>(
    credits
      .command('balance')
      .description('balance, usage not yet debited, and whether the books agree')
      .requiredOption('--org <org_id>', 'organisation'),
    io,
    ({ org }) =>
      withServices(io, async ({ services }) => {
        const balance = await services.billing.balance(org)
        if (!balance) throw new CommandError(`There is no organisation ${org}`)
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
  not_found: (org: string) => `There is no organisation ${org}`,
  credits_invalid: () => '--amount must be a positive number with up to 4 decimals',
  key_reused: () => 'This idempotency key was used for another grant',
}
