import { describe, expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { useCommands } from '../../test/support/commands.ts'
import { newOrder, useOrders } from '../../test/support/orders.ts'

const harness = useHarness()
const { order } = useOrders(harness)
const { vigil, vigilJson } = useCommands()
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

const HALF_HOUR_MS = 1_800_000
const BERLIN = { location_latitude: 52.52, location_longitude: 13.405 }
const TOKYO = { location_latitude: 35.68, location_longitude: 139.69 }

/** The second of two orders: half an hour after the first, 8,900 km apart. */
async function impossibleTravel(external_order_id: string, mode: 'live' | 'test' = 'live') {
  const { keys, org_id } = await harness().createTenant()
  const key = keys[`${mode}_secret`]
  const then = Date.UTC(2026, 2, 1, 12)
  const at = (ms: number) => ({ ordered_at: new Date(then + ms).toISOString() })
  await order(key, newOrder({ external_id: 'traveller', ...BERLIN, ...at(0) }))
  const { body } = await order(key, {
    ...newOrder({ external_id: 'traveller', ...TOKYO, ...at(HALF_HOUR_MS) }),
    external_order_id,
  })
  return { org_id, keys, ...body.content }
}

describe('vigil order explain', () => {
  it('prints each signal that adds points with its reason and its numbers', async () => {
    const { org_id, order: record, risk } = await impossibleTravel('explained-1')
    const { stdout, status, stderr } = await vigil('order', 'explain', record.id)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [head, time, score, early, ...rest] = stdout.split('\n')
    expect(head).toMatch(
      new RegExp(
        `^Order explained-1 \\(${record.id}\\), created \\S+ \\(organization ${org_id}, live\\)$`,
      ),
    )
    expect(time).toBe('Ordered at 2026-03-01T12:30:00.000Z')
    expect(score).toBe(
      `Score ${risk.risk_score}, ${risk.risk_level}, flagged for review; flags: location_anomaly`,
    )
    expect(early).toMatch(/^Order 2 of its organization: /)
    const text = rest.join('\n')
    expect(text).toMatch(
      /\nlocation_anomaly: \+\d+, strength \d+, weight 0\.\d+\n {2}8,9\d\d km from the previous place, 30 minutes apart: [\d,]+ km\/h, faster than anyone travels\n {2}Details: .*speed_kmh \d+/,
    )
    expect(text).toMatch(/\nNo points from: .*velocity/)
    expect(text).not.toContain('Decisions')
  })

  it('prints the same and the decisions as one JSON object', async () => {
    const { org_id, order: record, risk } = await impossibleTravel('explained-2')
    const args = ['order', 'explain', 'explained-2', '--org', org_id]
    const before = await vigilJson<Record<string, unknown>>(...args)
    expect(Object.keys(before)).toEqual([
      'order_id',
      'external_order_id',
      'org_id',
      'mode',
      'profile_id',
      'ordered_at',
      'created_at',
      'risk_score',
      'risk_level',
      'flags',
      'flagged_for_review',
      'is_of_new_organization',
      'signals',
      'adjustments',
      'shadows',
      'decisions',
      'experience',
    ])
    const { signals: strengths, ...scored } = risk
    expect(before).toMatchObject({
      ...scored,
      order_id: record.id,
      external_order_id: 'explained-2',
      org_id,
      mode: 'live',
      ordered_at: record.ordered_at,
      decisions: [],
    })
    const signals = before['signals'] as Signal[]
    const printed_strengths = signals.map(({ signal, strength }) => [signal, strength])
    expect(Object.fromEntries(printed_strengths)).toEqual(strengths)
    expect(signals[0]).toMatchObject({
      signal: 'location_anomaly',
      finding: 'impossible_travel',
      numbers: { hours: 0.5, speed_kmh: expect.any(Number) as number },
    })

    for (const word of ['fraud', 'legitimate']) {
      await vigilJson('review', 'decide', record.id, word, '--note', `it is ${word}`)
    }
    const after = await vigilJson<{ decisions: unknown[] }>(...args)
    expect(after.decisions).toMatchObject([
      { decision: 'confirmed_fraud', decided_by: 'cli', note: 'it is fraud' },
      { decision: 'legitimate', decided_by: 'cli', note: 'it is legitimate' },
    ])
    const { stdout } = await vigil(...args)
    expect(stdout).toMatch(
      /\nDecisions:\n {2}\S+ {2}confirmed_fraud by cli: it is fraud\n {2}\S+ {2}legitimate by cli: it is legitimate\n$/,
    )
  })

  it('asks for --org and --mode when several orders have the same id', async () => {
    const one = await impossibleTravel('explained-3')
    const two = await impossibleTravel('explained-3', 'test')
    const explain = ['order', 'explain', 'explained-3']
    const ambiguous = 'Several orders have the id explained-3. Select one with --org and --mode.\n'
    expect(await vigil(...explain)).toEqual({ status: 1, stdout: '', stderr: ambiguous })
    const idOf = async (...args: string[]) =>
      (await vigilJson<{ order_id: string }>(...explain, ...args)).order_id
    expect(await idOf('--org', one.org_id)).toBe(one.order.id)
    expect(await idOf('--org', two.org_id)).toBe(two.order.id)
    expect(await idOf('--mode', 'test')).toBe(two.order.id)
  })

  it.each([
    [['explain', 'nothing'], 'Order nothing does not exist'],
    [['explain', NO_ONE], `Order ${NO_ONE} does not exist`],
    [['explain', NO_ONE, '--org', NO_ONE], `Organization ${NO_ONE} does not exist`],
    [['explain', NO_ONE, '--org', 'x'], 'Organization x does not exist'],
  ])('fails with one message, also as one JSON object: %j', async (args, error) => {
    expect(await vigil('order', ...args)).toEqual({ status: 1, stdout: '', stderr: `${error}\n` })
    expect(await vigil('order', ...args, '--json')).toEqual({
      status: 1,
      stdout: `${JSON.stringify({ error })}\n`,
      stderr: `${error}\n`,
    })
  })

  it('does not show an order of another organization than the one that is named', async () => {
    const one = await impossibleTravel('explained-4')
    const other = await harness().createTenant()
    expect((await vigil('order', 'explain', one.order.id, '--org', other.org_id)).stderr).toBe(
      `Order ${one.order.id} does not exist\n`,
    )
  })
})

type Signal = { signal: string; strength: number; finding: string | null }
