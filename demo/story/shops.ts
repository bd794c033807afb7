/** The six shops: where they are, when they are open, what is bought there, and who works the tills. */

export type Shop = {
  id: string
  name: string
  city: string
  country: string
  country_code: string
  zone: string
  latitude: number
  longitude: number
  currency: string
  /** By the clock on the wall. */
  opens: number
  closes: number
  /** 0 is Sunday. */
  closed_on: readonly number[]
  tills: number
  sales_per_day: number
  /** Median of what is paid, and the spread of its logarithm. */
  basket_cents: number
  basket_spread: number
  cash_share: number
  cashiers: readonly string[]
}

const GERMANY = { country: 'Germany', country_code: 'DE', zone: 'Europe/Berlin', currency: 'EUR' }
const NETHERLANDS = {
  country: 'Netherlands',
  country_code: 'NL',
  zone: 'Europe/Amsterdam',
  currency: 'EUR',
}
const BRITAIN = {
  country: 'United Kingdom',
  country_code: 'GB',
  zone: 'Europe/London',
  currency: 'GBP',
}

export const SHOPS: readonly Shop[] = [
  {
    ...GERMANY,
    id: 'hamburg',
    name: 'Northwind Hamburg Harbour',
    city: 'Hamburg',
    latitude: 53.5459,
    longitude: 9.9663,
    opens: 7,
    closes: 22,
    closed_on: [0],
    tills: 5,
    sales_per_day: 38,
    basket_cents: 2_450,
    basket_spread: 0.7,
    cash_share: 0.3,
    cashiers: [
      'Ines Falkner',
      'Tarek Osman',
      'Lotte Brandis',
      'Piet Harms',
      'Selma Aydin',
      'Jorin Voss',
    ],
  },
  {
    ...GERMANY,
    id: 'leipzig',
    name: 'Northwind Leipzig Central',
    city: 'Leipzig',
    latitude: 51.3455,
    longitude: 12.3814,
    opens: 8,
    closes: 20,
    closed_on: [0],
    tills: 4,
    sales_per_day: 34,
    basket_cents: 1_650,
    basket_spread: 0.6,
    cash_share: 0.42,
    cashiers: ['Maren Töpfer', 'Oskar Lindt', 'Rika Sommer', 'Dominik Reuss', 'Anouk Weiss'],
  },
  {
    ...GERMANY,
    id: 'cologne',
    name: 'Northwind Cologne Market',
    city: 'Cologne',
    latitude: 50.9384,
    longitude: 6.9599,
    opens: 7,
    closes: 21,
    closed_on: [0],
    tills: 4,
    sales_per_day: 30,
    basket_cents: 2_100,
    basket_spread: 0.75,
    cash_share: 0.36,
    cashiers: ['Hendrik Pohl', 'Yara Benali', 'Clemens Adler', 'Femke Roth', 'Bruno Keil'],
  },
  {
    ...NETHERLANDS,
    id: 'utrecht',
    name: 'Northwind Utrecht Canal',
    city: 'Utrecht',
    latitude: 52.0894,
    longitude: 5.1101,
    opens: 8,
    closes: 21,
    closed_on: [],
    tills: 4,
    sales_per_day: 26,
    basket_cents: 1_900,
    basket_spread: 0.6,
    cash_share: 0.12,
    cashiers: ['Sanne de Wit', 'Joris Kuiper', 'Amira Haddad', 'Teun Bakker', 'Lieke Vos'],
  },
  {
    ...NETHERLANDS,
    id: 'groningen',
    name: 'Northwind Groningen North',
    city: 'Groningen',
    latitude: 53.2194,
    longitude: 6.5665,
    opens: 9,
    closes: 19,
    closed_on: [0, 1],
    tills: 3,
    sales_per_day: 14,
    basket_cents: 3_100,
    basket_spread: 0.5,
    cash_share: 0.1,
    cashiers: ['Wout Dijkstra', 'Nienke Postma', 'Sem Hoekstra', 'Fenna Visser'],
  },
  {
    ...BRITAIN,
    id: 'bristol',
    name: 'Northwind Bristol Quay',
    city: 'Bristol',
    latitude: 51.4495,
    longitude: -2.5993,
    opens: 6,
    closes: 23,
    closed_on: [],
    tills: 4,
    sales_per_day: 32,
    basket_cents: 1_250,
    basket_spread: 0.8,
    cash_share: 0.18,
    cashiers: ['Owen Pritchard', 'Farah Malik', 'Callum Reid', 'Bethan Rowe', 'Dev Anand'],
  },
]

/** Refunds and voids of sales without a customer, in the last minutes of the late shift, at one till. */
export const THIEF = {
  shop_id: 'leipzig',
  cashier: 'Dominik Reuss',
  till: 4,
  /** Of the month, at which it begins. */
  from_share: 0.25,
  last_minutes: 45,
  refunds_per_shift: [2, 4],
  voids_per_shift: [1, 2],
  amounts_cents: [2_000, 3_000, 4_000, 5_000],
} as const

export const tillOf = (shop: Shop, number: number): string =>
  `${shop.id}-till-${String(number).padStart(2, '0')}`

export const cashierIdOf = (shop: Shop, name: string): string =>
  `${shop.id}-${name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[^a-z]+/g, '-')}`

export const shopOf = (id: string): Shop => {
  const shop = SHOPS.find((each) => each.id === id)
  if (!shop) throw new Error(`there is no shop ${id}`)
  return shop
}
