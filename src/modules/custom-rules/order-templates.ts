/** The usual rules for orders. */
import type { CustomRule } from './rule.ts'
import type { Template } from './template.ts'

const order = (
  name: string,
  when: string,
  then: Pick<CustomRule, 'effect' | 'value'> & { signal?: string; comment: string },
): Template => ({ signal: 'pattern', name, when, ...then })

export const ORDER_TEMPLATES: readonly Template[] = [
  order('Large first order', 'profile.orders == 0 && order.amount_cents > 50000', {
    effect: 'points',
    value: 20,
    signal: 'amount_anomaly',
    comment: 'A new customer who spends more than 500.00.',
  }),
  order(
    'Gift cards by a new customer',
    'profile.age_days < 30 && order.items.exists(item, item.category == "gift_card")',
    {
      effect: 'review',
      value: 0,
      comment: 'Gift cards are resold, so thieves buy them first.',
    },
  ),
  order('Expensive order at night', 'order.hour < 5 && order.amount_cents > 20000', {
    effect: 'points',
    value: 15,
    signal: 'time_anomaly',
    comment: 'Between midnight and five, local time.',
  }),
  order('Other country', 'order.country in ["AA", "BB"]', {
    effect: 'points',
    value: 25,
    signal: 'location_anomaly',
    comment: 'Countries that you do not sell to. Replace the codes.',
  }),
  order(
    'New country for a known customer',
    'profile.orders >= 5 && order.country != "" && !(order.country in profile.countries)',
    {
      effect: 'points',
      value: 20,
      signal: 'location_anomaly',
      comment: 'Five orders or more, none of them from there.',
    },
  ),
  order('Several customers on one device', 'device.profiles >= 4 && device.last_day > 3', {
    effect: 'floor',
    value: 60,
    signal: 'device_anomaly',
    comment: 'Four profiles or more, with several orders within a day.',
  }),
  order('Many orders of one customer', 'profile.last_hour > 4', {
    effect: 'points',
    value: 25,
    signal: 'velocity',
    comment: 'About five orders within an hour.',
  }),
  order(
    'Ten times the usual amount',
    'profile.usual_amount_cents > 0 && order.amount_cents > 10 * profile.usual_amount_cents',
    {
      effect: 'review',
      value: 0,
      signal: 'amount_anomaly',
      comment: 'Compared with earlier orders in the same currency.',
    },
  ),
  order(
    'Large discount at a till',
    'order.cashier != "" && order.amount_cents > 0 && order.discount_cents > order.amount_cents',
    {
      effect: 'alert',
      value: 0,
      comment: 'The discounts exceed what is paid.',
    },
  ),
  order(
    'Small order of a long-standing customer',
    'profile.age_days > 365 && profile.orders > 20 && order.amount_cents < 5000 && size(lists.watch) == 0',
    {
      effect: 'cap',
      value: 24,
      comment: 'Saves reviews that find nothing. Replay it before it is on.',
    },
  ),
]
