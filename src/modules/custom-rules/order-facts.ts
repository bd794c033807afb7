/** The facts about an order. */
import { type FactGroup, LIST_FACTS, signalFacts } from './fact-types.ts'

const COUNTS = {
  last_hour: ['double', 'orders of about the last hour, including this one'],
  last_day: ['double', 'orders of about the last day, including this one'],
} as const satisfies FactGroup

export const ITEM_FACTS = {
  category: ['string', 'category of the item'],
  quantity: ['int', 'number of pieces'],
  unit_price_cents: ['int', 'price of one piece'],
  total_price_cents: ['int', 'price of all pieces'],
  discount_cents: ['int', 'discount'],
  discount_type: ['string', 'none, percentage, fixed, override or employee'],
} as const satisfies FactGroup

export const ORDER_FACTS = {
  order: {
    amount_cents: ['int', 'total amount in cents: 20000 is 200.00'],
    currency: ['string', 'ISO 4217 code, such as "EUR"'],
    type: ['string', 'online, in_store, phone or other'],
    payment_method: ['string', 'card, cash, mobile, crypto or other'],
    item_count: ['int', 'number of items as sent'],
    quantity: ['int', 'pieces of all items together'],
    discount_cents: ['int', 'discounts of all items together'],
    items: ['list<Item>', 'the first 100 items'],
    country: ['string', 'ISO 3166 code of the country, such as "DE"'],
    is_outside_country: ['bool', 'whether the coordinates lie far outside of the country'],
    store: ['string', 'name of the store or location'],
    terminal: ['string', 'edge_device_id'],
    cashier: ['string', 'external id of the cashier'],
    is_guest: ['bool', 'whether the order names no profile'],
    hour: ['int', 'local hour at the place of the order, 0 to 23'],
  },
  profile: {
    is_known: ['bool', 'whether the profile existed before the order'],
    orders: ['int', 'earlier orders'],
    age_days: ['int', 'whole days since the profile was first seen'],
    devices: ['int', 'devices ever seen'],
    is_new_device: ['bool', 'whether a profile with older devices uses a recent one'],
    risk_score: ['int', 'risk of the profile before the order, 0 to 100'],
    countries: ['list<string>', 'countries of earlier orders'],
    usual_amount_cents: ['int', 'usual amount in the currency of the order; 0 while unknown'],
    ...COUNTS,
    last_week: ['double', 'orders of about the last week, including this one'],
  },
  device: {
    is_known: ['bool', 'whether the device was seen before'],
    profiles: ['int', 'profiles ever seen on the device'],
    reputation: ['int', 'what all organizations report about it, 0 to 100'],
    check_score: ['int', 'strongest recent check of the device, 0 to 100'],
    ...COUNTS,
  },
  ip: {
    is_known: ['bool', 'whether the address was seen before'],
    profiles: ['int', 'profiles ever seen behind the address'],
    reputation: ['int', 'what all organizations report about it, 0 to 100'],
    ...COUNTS,
  },
  terminal: {
    is_known: ['bool', 'whether the terminal was seen before'],
    ...COUNTS,
  },
  signals: signalFacts([
    'velocity',
    'amount_anomaly',
    'location_anomaly',
    'device_anomaly',
    'time_anomaly',
    'pattern',
  ]),
  lists: LIST_FACTS,
} as const satisfies Readonly<Record<string, FactGroup>>
