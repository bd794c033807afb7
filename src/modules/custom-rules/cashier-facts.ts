/** The facts about a cashier action. */
import { type FactGroup, FINDINGS, LIST_FACTS, signalFacts } from './fact-types.ts'

export const CASHIER_FACTS = {
  action: {
    type: ['string', 'action_type, such as "void", "refund" or "no_sale"'],
    amount_cents: ['int', 'amount in cents without its sign; 0 if it was not sent'],
    currency: ['string', 'currency of the order, or the usual one at the store'],
    reason: ['string', 'reason as sent'],
    terminal: ['string', 'edge_device_id'],
    store: ['string', 'name of the store in lower case, empty while unknown'],
    hour: ['int', 'local hour, 0 to 23'],
  },
  order: {
    is_named: ['bool', 'whether the action names an order'],
    is_known: ['bool', 'whether Vigil knows the order'],
    amount_cents: ['int', 'total amount of the order'],
    refunded_cents: ['int', 'earlier refunds of the order'],
    is_cash: ['bool', 'whether it was paid in cash'],
    cashier: ['string', 'who rang it up: same, other or unknown'],
    age_minutes: ['int', 'whole minutes from the order to the action'],
  },
  cashier: {
    id: ['string', 'external id of the cashier'],
    is_known: ['bool', 'whether there was an earlier sale or action'],
    shift: ['string', 'open, grace (the minutes after its end), closed or unknown'],
    usual_sale_cents: ['int', 'mean of the sales; 0 while unknown'],
    actions_shift: ['double', 'actions of this kind of about a shift, including this one'],
    actions_week: ['double', 'actions of this kind of about a week, including this one'],
    sales_shift: ['double', 'sales of about a shift'],
    sales_week: ['double', 'sales of about a week'],
  },
  signals: {
    ...signalFacts([
      'excessive_voids',
      'excessive_refunds',
      'discount_abuse',
      'off_shift',
      'velocity_anomaly',
      'drawer_anomaly',
      'round_number_refund',
    ]),
    ...FINDINGS,
  },
  lists: LIST_FACTS,
} as const satisfies Readonly<Record<string, FactGroup>>
