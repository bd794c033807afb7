import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { newOrder, useOrders } from '../../../../test/support/orders.ts'
import type { AuditPage } from '../../audit/schema.ts'
import type { ReviewList } from '../schema.ts'
import type { ImportedOutcomes, ReportedOutcomes } from './schema.ts'

const harness = useHarness()
const { order } = useOrders(harness)
const PATH = '/console/api/outcomes'

const MINUTE_AGO = () => new Date(Date.now() - 60_000).toISOString()

async function shopWith(orders: number) {
  const { org_id, keys } = await harness().createTenant()
  const names: string[] = []
  for (let n = 0; n < orders; n += 1) {
    const body = newOrder({ external_id: `customer-${n}` })
    await order(keys.live_secret, body)
    names.push(String(body['external_order_id']))
  }
  const token = await harness().signIn(org_id, 'member')
  const report = async (outcomes: unknown) =>
    await harness().post<ReportedOutcomes & { field: string }>(
      PATH,
      { org_id, outcomes },
      { token },
    )
  const importCsv = async (csv: string) =>
    await harness().post<ImportedOutcomes & { field: string }>(
      `${PATH}/import`,
      { org_id, csv },
      { token },
    )
  return { org_id, names, report, importCsv, token }
}

describe('POST /console/api/outcomes', () => {
  it('decides orders, keeps what is newer, and names what it refuses', async () => {
    const { org_id, names, report, token } = await shopWith(2)
    const [first = '', second = ''] = names
    const date = MINUTE_AGO()
    const outcomes = [
      { external_order_id: first, kind: 'chargeback', reason_code: 'UA02', date },
      { external_order_id: second, kind: 'legitimate', date },
      { external_order_id: second, kind: 'fraud', date: '2020-01-01' },
      { external_order_id: 'nothing', kind: 'fraud', date },
      { external_order_id: first, kind: 'fraud', date: '2100-01-01' },
    ]
    const refused = [
      { index: 2, external_order_id: second, field: 'date' },
      { index: 3, external_order_id: 'nothing', field: 'external_order_id' },
      { index: 4, external_order_id: first, field: 'date' },
    ]
    const answer = await report(outcomes)
    expect(answer).toMatchObject({ status: 200, body: { message: 'Outcomes reported' } })
    expect(answer.body.content).toMatchObject({ decided: 2, unchanged: 0, refused })
    expect((await report(outcomes)).body.content).toMatchObject({ decided: 0, unchanged: 2 })
    const { content: reviews } = (
      await harness().call<ReviewList>({
        method: 'GET',
        path: `/console/api/reviews?org_id=${org_id}&state=decided`,
        token,
      })
    ).body
    const decided = reviews.reviews.map(({ external_id, decision, note, decided_at }) => ({
      external_id,
      decision,
      note,
      decided_at,
    }))
    expect(decided).toHaveLength(2)
    expect(decided).toContainEqual({
      external_id: first,
      decision: 'confirmed_fraud',
      note: 'Chargeback UA02',
      decided_at: date,
    })
    const owner = await harness().signIn(org_id)
    const { body } = await harness().call<AuditPage>({
      method: 'GET',
      path: `/console/api/audit?org_id=${org_id}`,
      token: owner,
    })
    const entries = body.content.entries.filter(({ action }) => action === 'outcomes.reported')
    expect(entries.map(({ details }) => details)).toEqual([
      { mode: 'live', decided: 0, unchanged: 2, refused: 3 },
      { mode: 'live', decided: 2, unchanged: 0, refused: 3 },
    ])
  })

  it('refuses what is no outcome, and orders of another organization', async () => {
    const { report } = await shopWith(0)
    const other = await shopWith(1)
    expect(await report([])).toMatchObject({
      status: 400,
      body: { content: { field: 'outcomes' } },
    })
    expect(
      await report([{ external_order_id: 'x', kind: 'maybe', date: '2026-01-01' }]),
    ).toMatchObject({ status: 400, body: { content: { field: 'outcomes.0.kind' } } })
    const foreign = { external_order_id: other.names[0], kind: 'fraud', date: MINUTE_AGO() }
    expect((await report([foreign])).body.content).toMatchObject({
      decided: 0,
      refused: [{ field: 'external_order_id' }],
    })
  })
})

describe('POST /console/api/outcomes/import', () => {
  it('reads a CSV file and names the lines that it refuses', async () => {
    const { names, importCsv } = await shopWith(1)
    const lines = [
      'Note,external_order_id,kind,date,reason_code',
      `"Called, twice",${names[0]},fraud,${MINUTE_AGO()},`,
      'x,nothing,fraud,2026-01-01,',
      'x,nothing,perhaps,2026-01-01,',
    ]
    const { status, body } = await importCsv(lines.join('\n'))
    expect(status).toBe(200)
    expect(body.content).toMatchObject({
      decided: 1,
      unchanged: 0,
      refused: [
        { line: 3, message: 'No order has the external_order_id nothing' },
        { line: 4, message: 'kind must be one of fraud, legitimate, chargeback' },
      ],
    })
  })

  it.each([
    ['a file without the columns', 'a,b\n1,2'],
    ['a file with a quotation mark that does not end', 'external_order_id,kind,date\n"x'],
    ['too many lines', `external_order_id,kind,date\n${'x,fraud,2026-01-01\n'.repeat(2001)}`],
  ])('refuses %s', async (_what, csv) => {
    const { importCsv } = await shopWith(0)
    expect(await importCsv(csv)).toMatchObject({ status: 400, body: { content: { field: 'csv' } } })
  })
})
