import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { transformWithOxc } from 'vite'
import { describe, expect, it } from 'vitest'

type Days = { starts: string[]; quantity: number[]; flagged_orders: number[]; total: number }

/** Groups one check per hour of the last 30 days into days, in a process with that time zone. */
async function daysIn(zone: string, now: string): Promise<Days> {
  const file = new URL('./spans.ts', import.meta.url)
  const { code } = await transformWithOxc(readFileSync(file, 'utf8'), 'spans.ts')
  const script = `${code}
    const { from, to, step } = spanOf('30d', new Date('${now}'))
    const starts = []
    const begin = Math.floor(Date.parse(from) / 3600000) * 3600000
    for (let at = begin; at < Date.parse(to); at += 3600000) starts.push(new Date(at).toISOString())
    const ones = starts.map(() => 1)
    const meter = { meter: 'check', quantity: ones, credits: ones, total_quantity: ones.length }
    const days = inDays({ step, starts, meters: [meter], flagged_orders: ones })
    const [{ quantity, total_quantity: total }] = days.meters
    process.stdout.write(JSON.stringify({ ...days, quantity, total }))`
  const options = { env: { TZ: zone }, encoding: 'utf8' } as const
  const written = execFileSync(process.execPath, ['--input-type=module', '-e', script], options)
  return JSON.parse(written) as Days
}

const LONG_AND_SHORT = [
  ['Europe/Berlin', '2026-04-10T12:34:56Z', { '2026-03-28T23:00': 23, '2026-03-29T22:00': 24 }],
  ['Europe/Berlin', '2026-11-10T12:34:56Z', { '2026-10-24T22:00': 25, '2026-10-25T23:00': 24 }],
  ['America/New_York', '2026-03-20T02:00:00Z', { '2026-03-08T05:00': 23, '2026-03-09T04:00': 24 }],
  ['Asia/Kolkata', '2026-04-10T12:34:56Z', { '2026-03-28T18:30': 24, '2026-03-29T18:30': 24 }],
  ['UTC', '2026-04-10T00:00:00Z', { '2026-04-09T00:00': 24, '2026-04-10T00:00': 1 }],
] as const

describe('the last thirty days', () => {
  it.each(LONG_AND_SHORT)('are days of the viewer in %s, at %s', async (zone, now, expected) => {
    const { starts, quantity, flagged_orders, total } = await daysIn(zone, now)
    expect(starts).toHaveLength(30)
    expect(flagged_orders).toEqual(quantity)
    const byDay = Object.fromEntries(starts.map((start, at) => [start.slice(0, 16), quantity[at]]))
    expect(byDay).toMatchObject(expected)
    expect(quantity.reduce((sum, count) => sum + count, 0)).toBe(total)
  })
})
