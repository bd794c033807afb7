/** Words for what custom rules apply to. */
import type { RuleTarget } from '../../../../src/modules/orders/rules/schema.ts'

export const TARGETS: Readonly<
  Record<RuleTarget, { name: string; many: string; example: string }>
> = {
  order: {
    name: 'order',
    many: 'orders',
    example: 'order.amount_cents > 50000 && order.is_guest',
  },
  check: {
    name: 'check',
    many: 'checks',
    example: 'check.event_type == "signup" && device.people > 2',
  },
  cashier_action: {
    name: 'cashier action',
    many: 'cashier actions',
    example: 'action.type == "refund" && !order.is_known',
  },
}

/** Stands for the signal about actions of the type of a cashier action. */
const BY_ACTION = 'by_action'

export const signalText = (signal: string): string =>
  signal === BY_ACTION ? 'the one about such actions' : signal
