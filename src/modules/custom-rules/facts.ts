/**
 * The facts that custom rules can read, by what a rule applies to, with their types and meanings. The
 * editor completes these names, and the documents list them.
 */
export const RULE_TARGETS = ['order'] as const
export type RuleTarget = (typeof RULE_TARGETS)[number]

export type FactType = 'int' | 'double' | 'bool' | 'string' | 'list<string>' | 'list<Item>'
type Fact = readonly [type: FactType, about: string]
type Group = Readonly<Record<string, Fact>>

const COUNTS = {
  last_hour: ['double', 'orders of about the last hour, including this one'],
  last_day: ['double', 'orders of about the last day, including this one'],
} as const satisfies Group

const LISTS = {
  allow: ['list<string>', 'kinds of identities on the allow list, such as "profile"'],
  block: ['list<string>', 'kinds of identities on the block list, such as "country"'],
  watch: ['list<string>', 'kinds of identities on the watch list, such as "device"'],
} as const satisfies Group

export const ITEM_FACTS = {
  category: ['string', 'category of the item'],
  quantity: ['int', 'number of pieces'],
  unit_price_cents: ['int', 'price of one piece'],
  total_price_cents: ['int', 'price of all pieces'],
  discount_cents: ['int', 'discount'],
  discount_type: ['string', 'none, percentage, fixed, override or employee'],
} as const satisfies Group

const ORDER_FACTS = {
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
  signals: {
    velocity: ['int', 'strength of the signal before rules and lists, 0 to 100'],
    amount_anomaly: ['int', 'strength of the signal before rules and lists, 0 to 100'],
    location_anomaly: ['int', 'strength of the signal before rules and lists, 0 to 100'],
    device_anomaly: ['int', 'strength of the signal before rules and lists, 0 to 100'],
    time_anomaly: ['int', 'strength of the signal before rules and lists, 0 to 100'],
    pattern: ['int', 'strength of the signal before rules and lists, 0 to 100'],
    score: ['int', 'score before rules and lists, 0 to 100'],
  },
  lists: LISTS,
} as const satisfies Readonly<Record<string, Group>>

export const FACTS = { order: ORDER_FACTS } as const satisfies Readonly<
  Record<RuleTarget, Readonly<Record<string, Group>>>
>

type ValueOf<Type> = Type extends 'int' | 'double'
  ? number
  : Type extends 'bool'
    ? boolean
    : Type extends 'list<string>'
      ? readonly string[]
      : Type extends 'list<Item>'
        ? readonly ItemValues[]
        : string

type ValuesOf<Facts> = {
  readonly [Name in keyof Facts]: Facts[Name] extends readonly [infer Type, string]
    ? ValueOf<Type>
    : never
}

export type ItemValues = ValuesOf<typeof ITEM_FACTS>

/** The facts about one subject, with numbers as numbers of JavaScript. */
export type FactValues<Target extends RuleTarget> = {
  readonly [Name in keyof (typeof FACTS)[Target]]: ValuesOf<(typeof FACTS)[Target][Name]>
}

/** Facts in the form in which expressions read them. */
export type RuleFacts = Readonly<Record<string, object>>

/** A mistake in an expression with its place: offsets in the text, the end excluded. */
export type ExpressionFault = { message: string; start: number; end: number }
