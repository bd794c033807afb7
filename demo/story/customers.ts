/** Who shops: people with a home near one of the shops, devices, an address on the net, and habits. */
import { createHash } from 'node:crypto'
import type { Random } from '../../src/platform/random.ts'
import { inventPerson, inventPhone, type Person } from './names.ts'
import { SHOPS, type Shop } from './shops.ts'

export type Payment = 'card' | 'cash' | 'mobile' | 'other'

export type Customer = Person & {
  id: string
  shop: Shop
  phone: string | undefined
  latitude: number
  longitude: number
  devices: readonly string[]
  /** Out of the ranges for documentation. */
  ip: string
  pays_online: Payment
  pays_in_store: Payment
  /** Hour of the day at which most is ordered, by the clock on the wall. */
  usual_hour: number
  basket_cents: number
  /** How often compared with the others. */
  weight: number
  shares_place: boolean
  /** Share of the month that has passed when they sign up; before it when undefined. */
  joins_at: number | undefined
}

const CUSTOMERS = 1_500
const KM_PER_DEGREE = 111
const FIRST_NUMBER = 10_001
const LEAST = 40

export function inventCustomers(random: Random, scale: number): Customer[] {
  const count = Math.max(LEAST, Math.round(CUSTOMERS * scale))
  return Array.from({ length: count }, (_, index) => inventCustomer(random.fork(`${index}`), index))
}

function inventCustomer(random: Random, index: number): Customer {
  const shop = random.weighted(SHOPS, ({ sales_per_day }) => sales_per_day)
  const number = FIRST_NUMBER + index
  const devices = Array.from({ length: random.chance(0.35) ? 2 : 1 }, (_, slot) =>
    deviceOf(`customer ${number} ${slot}`),
  )
  return {
    ...inventPerson(random, number),
    id: `C-${number}`,
    shop,
    phone: inventPhone(random, shop.country_code),
    ...placeNear(random, shop, 8),
    devices,
    ip: addressOf(index),
    pays_online: random.weighted(['card', 'mobile', 'other'] as const, onlineShare),
    pays_in_store: random.weighted(['card', 'cash', 'mobile'] as const, storeShare),
    usual_hour: random.weighted([8, 13, 20], (hour) => (hour === 20 ? 3 : 1)) + random.normal(0, 1),
    basket_cents: Math.round(4_200 * random.lognormal(0.5)),
    weight: random.lognormal(1),
    shares_place: random.chance(0.6),
    joins_at: random.chance(0.4) ? random.uniform() : undefined,
  }
}

const onlineShare = (payment: Payment): number =>
  payment === 'card' ? 6 : payment === 'mobile' ? 3 : 1
const storeShare = (payment: Payment): number =>
  payment === 'card' ? 6 : payment === 'cash' ? 3 : 2

/** As a library for fingerprints would name it. */
export const deviceOf = (name: string): string => hashed(`device ${name}`)

/** The service is told a hash, never the address. */
export const addressHash = (ip: string): string => hashed(`address ${ip}`)

const hashed = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

/** RFC 3849: 2001:db8::/32 is for documentation, and has room for every household. */
const addressOf = (index: number): string =>
  `2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::1`

export function placeNear(
  random: Random,
  { latitude, longitude }: { latitude: number; longitude: number },
  km: number,
): { latitude: number; longitude: number } {
  const degrees = km / KM_PER_DEGREE
  const east = degrees / Math.cos((latitude * Math.PI) / 180)
  return {
    latitude: rounded(latitude + random.normal(0, degrees)),
    longitude: rounded(longitude + random.normal(0, east)),
  }
}

const rounded = (degrees: number): number => Math.round(degrees * 1e5) / 1e5
