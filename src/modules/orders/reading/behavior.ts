/** Turns a profile's state into the bands, shares and places that the console draws. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/time-units.ts'
import { cellCenter, decay, expectAmount, shortHash } from '../../behavior/index.ts'
import type { ProfileState } from '../../profiles/index.ts'
import type { AmountBand, ProfileBehavior } from './schema.ts'

/** Covers 95 % of a normal distribution. */
const BAND_SD = 2
/** Half-lives of the velocity counts. */
const HALF_LIVES_MS = [5 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS] as const

/** @param fingerprints from the orders shown; states hold hashes only, so these name the devices */
export function behaviorOf(
  state: ProfileState,
  fingerprints: readonly (string | null)[],
  now: Date,
): ProfileBehavior {
  return {
    amounts: state.amounts.map(bandOf).filter((band) => band !== undefined),
    hours: sharesOf(state.hours.bins),
    devices: devicesOf(state, fingerprints),
    payments: paymentsOf(state),
    places: placesOf(state),
    velocity: velocityOf(state, now.getTime()),
  }
}

function bandOf(own: ProfileState['amounts'][number]): AmountBand | undefined {
  const expected = expectAmount(own, undefined)
  if (expected === undefined) return undefined
  const { mean, sd } = expected
  // The stored moments are those of the square roots of amounts.
  const cents = (root: number) => Math.round(Math.max(0, root) ** 2)
  return {
    currency: own.currency,
    orders: Math.floor(own.n),
    usual_cents: cents(mean),
    from_cents: cents(mean - BAND_SD * sd),
    to_cents: cents(mean + BAND_SD * sd),
  }
}

function sharesOf(bins: readonly number[]): number[] {
  const total = bins.reduce((sum, bin) => sum + bin, 0)
  return total === 0 ? [] : bins.map((bin) => bin / total)
}

function devicesOf(
  { devices }: ProfileState,
  fingerprints: readonly (string | null)[],
): ProfileBehavior['devices'] {
  const names = new Map<number, string>()
  for (const fingerprint of fingerprints) {
    if (fingerprint !== null) names.set(shortHash(fingerprint), fingerprint)
  }
  return {
    count: devices.count,
    known: devices.known.map(([device, minute]) => ({
      fingerprint_hash: names.get(device) ?? null,
      first_seen_at: new Date(minute * MINUTE_MS),
    })),
  }
}

function paymentsOf({ payments }: ProfileState): ProfileBehavior['payments'] {
  const methods = Object.entries(payments.used_minute)
    .map(([method, minute]) => ({ method, used_at: new Date(minute * MINUTE_MS) }))
    .toSorted((a, b) => b.used_at.getTime() - a.used_at.getTime())
  return { methods, run: payments.run }
}

function placesOf({ places }: ProfileState): ProfileBehavior['places'] {
  const { last, centre: center, cells, countries } = places
  const visits = cells.reduce((sum, [, weight]) => sum + weight, 0)
  const stays = countries.reduce((sum, [, weight]) => sum + weight, 0)
  return {
    last: last && { latitude: last.latitude, longitude: last.longitude, at: new Date(last.at) },
    center: center && {
      latitude: center.latitude,
      longitude: center.longitude,
      radius_km: center.radius_km,
    },
    areas: cells
      .map(([cell, weight]) => ({ ...cellCenter(cell), share: weight / visits }))
      .toSorted((a, b) => b.share - a.share),
    countries: countries
      .map(([country, weight]) => ({ country, share: weight / stays }))
      .toSorted((a, b) => b.share - a.share),
  }
}

function velocityOf({ velocity }: ProfileState, now_ms: number): ProfileBehavior['velocity'] {
  const left = velocity.counts.map(
    (count, index) =>
      Math.round(100 * count * decay(now_ms - velocity.at, HALF_LIVES_MS[index] ?? DAY_MS)) / 100,
  )
  const [minutes = 0, hour = 0, day = 0, week = 0] = left
  return { minutes, hour, day, week }
}
