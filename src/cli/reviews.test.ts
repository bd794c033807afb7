import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { useCommands } from '../../test/support/commands.ts'
import { addReview } from '../../test/support/reviews.ts'
import type { NewReview, ReviewPage } from '../modules/reviews/index.ts'

const db = testDatabase()
const { vigil, vigilJson } = useCommands()
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

async function createOrganization(): Promise<string> {
  const { org_id } = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'Reviews')
  return org_id
}
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))

describe('vigil review list', () => {
  it('prints a line per review, newest first, and the cursor of the next page', async () => {
    const org = await createOrganization()
    const older = await addReview(db, org, { created_at: at(1) })
    const flags = ['time_anomaly', 'high_velocity']
    const newer = await addReview(db, org, { created_at: at(2), risk_score: 100, flags })
    const line = (review: NewReview, minute: string) => {
      const score = String(review.risk_score).padStart(3)
      const what = `order  ${review.external_id}  ${review.flags.join(',')}  open  ${review.reason}`
      return `${review.id}  2026-03-01T12:${minute}  ${score}  ${what}\n`
    }
    const all = await vigil('review', 'list', '--org', org)
    expect(all.stdout).toBe(line(newer, '02') + line(older, '01'))
    const first = await vigil('review', 'list', '--org', org, '--limit', '1')
    const cursor = `100.${newer.id}`
    expect(first.stdout).toBe(`${line(newer, '02')}For more, use --after ${cursor}\n`)
    const next = await vigil('review', 'list', '--org', org, '--after', cursor)
    expect(next.stdout).toBe(line(older, '01'))
  })

  it('prints the filtered page with --json', async () => {
    const org = await createOrganization()
    const given = { subject: 'cashier_action', mode: 'test' } as const
    const { id } = await addReview(db, org, given)
    await addReview(db, org)
    const list = (...args: string[]) =>
      vigilJson<ReviewPage>('review', 'list', '--org', org, ...args)
    const page = await list('--subject', 'cashier_action', '--mode', 'test')
    expect(page).toMatchObject({ reviews: [{ id, ...given }], next_cursor: null })
    expect(await list('--state', 'decided')).toEqual({ reviews: [], next_cursor: null })
    expect((await vigil('review', 'list', '--org', org, '--subject', 'alert')).stdout).toBe(
      'No matching reviews\n',
    )
  })

  it('covers all organizations when none is named', async () => {
    const ids: string[] = []
    for (const org of [await createOrganization(), await createOrganization()]) {
      ids.push((await addReview(db, org)).id)
    }
    const { reviews } = await vigilJson<ReviewPage>('review', 'list', '--limit', '1000')
    expect(reviews.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
  })

  it('accepts --order highest only for open reviews', async () => {
    const org = await createOrganization()
    const scores = [60, 90, 70]
    for (const risk_score of scores) await addReview(db, org, { risk_score })
    const highest = ['review', 'list', '--org', org, '--order', 'highest']
    const { reviews } = await vigilJson<ReviewPage>(...highest)
    expect(reviews.map(({ risk_score }) => risk_score)).toEqual([90, 70, 60])
    expect(await vigil(...highest, '--state', 'all')).toMatchObject({
      status: 1,
      stderr: '--order highest requires --state open\n',
    })
  })
})

describe('vigil review with invalid arguments', () => {
  it.each([
    [['list', '--org', NO_ONE], `Organization ${NO_ONE} does not exist`],
    [['list', '--org', 'x'], 'Organization x does not exist'],
    [['list', '--after', 'x'], '--after is not a cursor'],
    [['decide', 'x', 'fraud'], 'No review, order or cashier action has the id x'],
    [
      ['decide', NO_ONE, 'legitimate', '--org', 'x'],
      `No review, order or cashier action has the id ${NO_ONE}`,
    ],
    [
      ['decide', NO_ONE, 'fraud', '--note', 'x'.repeat(1001)],
      '--note must not be longer than 1000 characters',
    ],
  ])('fails with one message, also as one JSON object: %j', async (args, error) => {
    expect(await vigil('review', ...args)).toEqual({ status: 1, stdout: '', stderr: `${error}\n` })
    expect(await vigil('review', ...args, '--json')).toEqual({
      status: 1,
      stdout: `${JSON.stringify({ error })}\n`,
      stderr: `${error}\n`,
    })
  })

  it.each([
    [['list', '--limit', '0'], /must be a whole number from 1 to 9999/],
    [['list', '--state', 'closed'], /argument 'closed' is invalid/],
    [['decide', 'x'], "missing required argument 'decision'"],
    [['decide', 'x', 'maybe'], /Allowed choices are fraud, legitimate/],
  ] as [string[], string | RegExp][])('is a usage error: %j', async (args, error) => {
    const { status, stdout } = await vigil('review', ...args, '--json')
    expect(status).toBe(1)
    expect((JSON.parse(stdout) as { error: string }).error).toMatch(error)
  })
})
