/** The usual rules for cashier actions. */
import { BY_ACTION } from './rule.ts'
import type { Template } from './template.ts'

export const CASHIER_TEMPLATES: readonly Template[] = [
  {
    name: 'Large refund without an order',
    when: 'action.type == "refund" && !order.is_known && action.amount_cents > 10000',
    effect: 'review',
    value: 0,
    signal: 'excessive_refunds',
    comment: 'More than 100.00 for an order that Vigil does not know.',
  },
  {
    name: 'Refund of an old order',
    when: 'action.type == "refund" && order.age_minutes > 60 * 24 * 30',
    effect: 'points',
    value: 20,
    signal: 'excessive_refunds',
    comment: 'Older than 30 days.',
  },
  {
    name: 'Drawer opened at night',
    when: 'action.type in ["no_sale", "drawer_open"] && (action.hour >= 23 || action.hour < 6)',
    effect: 'review',
    value: 0,
    signal: 'drawer_anomaly',
    comment: 'Between eleven and six, local time.',
  },
  {
    name: 'Fourth void of a shift',
    when: 'action.type == "void" && cashier.actions_shift > 3.5',
    effect: 'alert',
    value: 0,
    signal: BY_ACTION,
    comment: 'Once a day for each cashier.',
  },
  {
    name: 'Refund to the cashier who rang it up, in cash',
    when: 'action.type == "refund" && order.is_cash && order.cashier == "same" && action.amount_cents > 5000',
    effect: 'points',
    value: 15,
    signal: 'excessive_refunds',
    comment: 'More than 50.00 in cash, without a colleague.',
  },
]
