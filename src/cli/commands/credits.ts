/** `vigil credits`: grants credits and shows balances. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import { credits as creditAmount, creditLevel } from '../options.ts'

const load = () => import('../credits.ts')

export function creditCommands(program: Command, io: Io): void {
  const credits = program.command('credits').description('manage credits')
  setAction(
    credits
      .command('grant')
      .description('add credits to the balance of an organization')
      .requiredOption('--org <org_id>', 'id of the organization')
      .requiredOption('--amount <credits>', 'number of credits to add', creditAmount)
      .option('--reason <text>', 'reason to record in the ledger', 'granted by the operator')
      .option('--idempotency-key <key>', 'grant only once for this key, even if repeated'),
    io,
    async () => (await load()).grantCredits,
  )
  setAction(
    credits
      .command('balance')
      .description('show the balance, the usage not yet debited and differences in the books')
      .requiredOption('--org <org_id>', 'id of the organization'),
    io,
    async () => (await load()).showBalance,
  )
  setAction(
    credits
      .command('low-balance')
      .description('set the balance below which members are notified')
      .requiredOption('--org <org_id>', 'id of the organization')
      .option('--level <credits>', 'number of credits; 0 for no notification', creditLevel)
      .option('--automatic', 'notify when less is left than was used in the last seven days'),
    io,
    async () => (await load()).setLowBalance,
  )
}
