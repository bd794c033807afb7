/** The six stores with their locations, opening hours, goods and cashiers. */

const GERMANY = { country: 'DE', zone: 'Europe/Berlin' }
const NETHERLANDS = { country: 'NL', zone: 'Europe/Amsterdam' }
const BRITAIN = { country: 'GB', zone: 'Europe/London' }

const names = (list: string): readonly string[] => list.split(', ')

/** Hours are local time, 0 is Sunday, and `basket_cents` is the median of a sale. */
export const STORES = [
  {
    ...GERMANY,
    id: 'hamburg',
    name: 'Northwind Hamburg Harbour',
    city: 'Hamburg',
    position: { latitude: 53.5459, longitude: 9.9663 },
    hours: { opens: 7, closes: 22, closed_on: [0] },
    tills: 5,
    sales: { per_day: 38, basket_cents: 2_450, spread: 0.7, cash_share: 0.3 },
    cashiers: names(
      'Ines Falkner, Tarek Osman, Lotte Brandis, Piet Harms, Selma Aydin, Jorin Voss',
    ),
  },
  {
    ...GERMANY,
    id: 'leipzig',
    name: 'Northwind Leipzig Central',
    city: 'Leipzig',
    position: { latitude: 51.3455, longitude: 12.3814 },
    hours: { opens: 8, closes: 20, closed_on: [0] },
    tills: 4,
    sales: { per_day: 34, basket_cents: 1_650, spread: 0.6, cash_share: 0.42 },
    cashiers: names('Maren Töpfer, Oskar Lindt, Rika Sommer, Dominik Reuss, Anouk Weiss'),
  },
  {
    ...GERMANY,
    id: 'cologne',
    name: 'Northwind Cologne Market',
    city: 'Cologne',
    position: { latitude: 50.9384, longitude: 6.9599 },
    hours: { opens: 7, closes: 21, closed_on: [0] },
    tills: 4,
    sales: { per_day: 30, basket_cents: 2_100, spread: 0.75, cash_share: 0.36 },
    cashiers: names('Hendrik Pohl, Yara Benali, Clemens Adler, Femke Roth, Bruno Keil'),
  },
  {
    ...NETHERLANDS,
    id: 'utrecht',
    name: 'Northwind Utrecht Canal',
    city: 'Utrecht',
    position: { latitude: 52.0894, longitude: 5.1101 },
    hours: { opens: 8, closes: 21, closed_on: [] },
    tills: 4,
    sales: { per_day: 26, basket_cents: 1_900, spread: 0.6, cash_share: 0.12 },
    cashiers: names('Sanne de Wit, Joris Kuiper, Amira Haddad, Teun Bakker, Lieke Vos'),
  },
  {
    ...NETHERLANDS,
    id: 'groningen',
    name: 'Northwind Groningen North',
    city: 'Groningen',
    position: { latitude: 53.2194, longitude: 6.5665 },
    hours: { opens: 9, closes: 19, closed_on: [0, 1] },
    tills: 3,
    sales: { per_day: 14, basket_cents: 3_100, spread: 0.5, cash_share: 0.1 },
    cashiers: names('Wout Dijkstra, Nienke Postma, Sem Hoekstra, Fenna Visser'),
  },
  {
    ...BRITAIN,
    id: 'bristol',
    name: 'Northwind Bristol Quay',
    city: 'Bristol',
    position: { latitude: 51.4495, longitude: -2.5993 },
    hours: { opens: 6, closes: 23, closed_on: [] },
    tills: 4,
    sales: { per_day: 32, basket_cents: 1_250, spread: 0.8, cash_share: 0.18 },
    cashiers: names('Owen Pritchard, Farah Malik, Callum Reid, Bethan Rowe, Dev Anand'),
  },
] as const
export type DemoStore = (typeof STORES)[number]

/**
 * Refunds goods that no one returned and voids paid sales in the last minutes of the late shift, at one
 * till.
 */
export const THIEF = { store_id: 'leipzig', cashier: 'Dominik Reuss', till: 4, from_share: 0.25 }

export const tillOf = ({ id }: { id: string }, number: number): string =>
  `${id}-till-${String(number).padStart(2, '0')}`

export const cashierIdOf = ({ id }: { id: string }, name: string): string =>
  `${id}-${name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[^a-z]+/g, '-')}`

export function storeOf(id: string): DemoStore {
  const store = STORES.find((each) => each.id === id)
  if (!store) throw new Error(`Store ${id} does not exist`)
  return store
}
