/** `vigil order explain`: the reasons for the score of an order, and the decisions about it. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import { MODES, oneOf } from '../options.ts'

export function orderCommands(program: Command, io: Io): void {
  const order = program.command('order').description('inspect orders')
  setAction(
    order
      .command('explain')
      .description('show the signals of an order with their numbers, weight and share of the score')
      .argument('<id>', 'order id or external_order_id')
      .option('--org <org_id>', 'id of the organization that the order belongs to')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the order')),
    io,
    async () => (await import('../orders.ts')).explainOrder,
  )
}
