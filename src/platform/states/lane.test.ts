import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { numberArray, uuidArray } from '../postgres/arrays.ts'
import { rowFor, type Writer } from '../postgres/rows.ts'
import { createLane, type Lane } from './lane.ts'
import { type Reader, readFrom, type Step } from './step.ts'
import { readStates, sweepStates } from './store.ts'

const db = testDatabase()
const NOW = new Date('2026-03-01T12:00:00Z')
const newLane = (states_in_memory_max = 1000): Lane => createLane({ db, states_in_memory_max })

type Counter = { count: number; last: string }
type Risk = { org_id: string; device_id: string; risk_score: number }

const risks: Writer<Risk> = {
  name: 'risks',
  write: (rows) => sql`
    insert into device_check_risks (org_id, device_id, risk_score, checked_at)
    select *, ${NOW}::timestamptz from unnest(
      ${uuidArray(rows.map(({ org_id }) => org_id))}::uuid[],
      ${uuidArray(rows.map(({ device_id }) => device_id))}::uuid[],
      ${numberArray(rows.map(({ risk_score }) => risk_score))}::float8[]
    )`,
}

type Options = {
  word?: string
  identity?: string
  risk_score?: number
  reads?: Step<number>['reads']
}

/** Increments the counters of all keys and returns the count of the first. */
const increment = (org_id: string, keys: string[], options: Options = {}): Step<number> => ({
  org_id,
  keys,
  reads: options.reads ?? [],
  ...(options.identity !== undefined && { identity: options.identity }),
  apply: (states) => {
    if (options.word === 'throw') throw new Error('refused')
    const next = keys.map((id) => {
      const before = (states.get(id) ?? { count: 0, last: '' }) as Counter
      const value: Counter = { count: before.count + 1, last: options.word ?? '' }
      return { id, kind: 'counter', value, updated_at: NOW }
    })
    const row = { org_id, device_id: randomUUID(), risk_score: options.risk_score ?? 1 }
    return { states: next, rows: [rowFor(risks, row)], result: next[0]?.value.count ?? 0 }
  },
})

const stored = async (org_id: string, id: string) =>
  (await readStates(db, [{ org_id, id }], false)).get(id)

const rowsOf = async (org_id: string) => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from device_check_risks where org_id = ${org_id}`.execute(db)
  return rows[0]?.n
}

describe('a lane', () => {
  it('applies steps in the order of submission, each to the result of the previous ones', async () => {
    const [org, id] = [randomUUID(), randomUUID()]
    const lane = newLane()
    const counts = await Promise.all(
      Array.from({ length: 500 }, () => lane.submit(increment(org, [id]))),
    )
    expect(counts).toEqual(Array.from({ length: 500 }, (_, index) => index + 1))
    expect(await stored(org, id)).toMatchObject({ state: { count: 500 } })
    expect(await rowsOf(org)).toBe(500)
  })

  it('writes no more steps in a transaction than it may', async () => {
    const [org, id] = [randomUUID(), randomUUID()]
    const sizes: number[] = []
    const reader: Reader<number, number> = {
      name: 'sizes',
      read: (_db, queries) => {
        sizes.push(queries.length)
        return Promise.resolve(queries)
      },
    }
    const lane = createLane({ db, states_in_memory_max: 1000, batch_steps_max: 200 })
    const reads = [readFrom(reader, 1)] as Step<number>['reads']
    await Promise.all(
      Array.from({ length: 500 }, () => lane.submit(increment(org, [id], { reads }))),
    )
    expect(sizes).toEqual([200, 200, 100])
    expect(await stored(org, id)).toMatchObject({ state: { count: 500 } })
  })

  it('continues from stored states, also after they were evicted', async () => {
    const [org, ids] = [randomUUID(), Array.from({ length: 20 }, () => randomUUID())]
    for (const lane of [newLane(1), newLane(1)]) {
      for (const id of [...ids, ...ids]) await lane.submit(increment(org, [id]))
    }
    for (const id of ids) expect(await stored(org, id)).toMatchObject({ state: { count: 4 } })
  })

  it('shares states with other processes without losing steps', async () => {
    const org = randomUUID()
    const [hot = '', ...ids] = Array.from({ length: 6 }, () => randomUUID())
    const [first, second, third] = [newLane(), newLane(), newLane()]
    const lanes = [first, second, third]
    const steps = Array.from({ length: 600 }, (_, index) => {
      const keys = [hot, ids[index % ids.length] ?? hot]
      return (lanes[index % 3] ?? first).submit(
        increment(org, index % 2 === 0 ? keys : keys.toReversed()),
      )
    })
    await Promise.all(steps)
    expect(await stored(org, hot)).toMatchObject({ state: { count: 600 } })
    for (const id of ids) expect(await stored(org, id)).toMatchObject({ state: { count: 120 } })
    expect(await rowsOf(org)).toBe(600)
  })

  it('rejects only the step that throws', async () => {
    const [org, id] = [randomUUID(), randomUUID()]
    const lane = newLane()
    const results = await Promise.allSettled([
      lane.submit(increment(org, [id])),
      lane.submit(increment(org, [id], { word: 'throw', identity: 'x' })),
      lane.submit(increment(org, [id], { identity: 'x' })),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await stored(org, id)).toMatchObject({ state: { count: 2 } })
  })

  it('rejects only the step whose row the database refuses', async () => {
    const [org, id] = [randomUUID(), randomUUID()]
    const lane = newLane()
    const steps = Array.from({ length: 150 }, (_, index) =>
      lane.submit(increment(org, [id], index === 70 ? { risk_score: 101 } : {})),
    )
    const results = await Promise.allSettled(steps)
    const rejected = results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
    expect(rejected).toEqual([70])
    expect(await stored(org, id)).toMatchObject({ state: { count: 149 } })
    expect(await rowsOf(org)).toBe(149)
  })

  it('runs steps of one identity separately, so that the second reads what the first wrote', async () => {
    const [org, id] = [randomUUID(), randomUUID()]
    const lane = newLane()
    const countRisks: Reader<string, number> = {
      name: 'count',
      read: async (handle, orgs) => {
        const { rows } = await sql<{ n: number }>`
          select count(*) as n from device_check_risks where org_id = ${orgs[0]}`.execute(handle)
        return orgs.map(() => rows[0]?.n ?? -1)
      },
    }
    const seen: unknown[] = []
    const step = (): Step<number> => {
      const plain = increment(org, [id], { identity: 'same', reads: [readFrom(countRisks, org)] })
      return {
        ...plain,
        apply: (states, answers) => {
          seen.push(answers[0])
          return plain.apply(states, answers)
        },
      }
    }
    await Promise.all([step(), step(), step()].map((one) => lane.submit(one)))
    expect(seen).toEqual([0, 1, 2])
  })

  it('writes nothing for a step that changes nothing', async () => {
    const org = randomUUID()
    const step: Step<string> = {
      org_id: org,
      keys: [randomUUID()],
      reads: [],
      apply: () => ({ states: [], rows: [], result: 'as before' }),
    }
    expect(await newLane().submit(step)).toBe('as before')
    expect(await rowsOf(org)).toBe(0)
  })

  it('rejects waiting steps while the database does not answer and recovers afterwards', async () => {
    const [org, id] = [randomUUID(), randomUUID()]
    let answer: () => void = () => undefined
    const silence = new Promise<void>((resolve) => {
      answer = resolve
    })
    const silent = {
      connection: () => ({
        execute: async (use: (handle: typeof db) => Promise<void>) => {
          await silence
          await db.connection().execute(use)
        },
      }),
    } as unknown as typeof db
    const lane = createLane({ db: silent, states_in_memory_max: 100, waiting_max_ms: 20 })
    const step = () => lane.submit(increment(org, [id], { identity: 'same' }))
    const first = step()
    const waiting = await Promise.allSettled([step(), step()])
    for (const one of waiting) {
      expect(one).toMatchObject({ status: 'rejected', reason: { name: 'NotTakenError' } })
    }
    answer()
    expect(await first).toBe(1)
    expect(await step()).toBe(2)
    await lane.drain()
  })

  it('is drained when all steps are committed', async () => {
    const [org, id] = [randomUUID(), randomUUID()]
    const lane = newLane()
    const steps = Array.from({ length: 200 }, () => lane.submit(increment(org, [id])))
    await lane.drain()
    expect(await stored(org, id)).toMatchObject({ state: { count: 200 } })
    await Promise.all(steps)
    await lane.drain()
  })
})

it('continues from a state that an earlier version stored as json, and stores it as text', async () => {
  const [org, id] = [randomUUID(), randomUUID()]
  await sql`insert into states (org_id, id, kind, version, made_from, state, updated_at)
    values (${org}, ${id}, 'counter', 7, 0, '{"count": 41, "last": ""}', ${NOW})`.execute(db)
  expect(await newLane().submit(increment(org, [id]))).toBe(42)
  const { rows } = await sql`
    select state, state_text from states where org_id = ${org}`.execute(db)
  expect(rows).toEqual([{ state: null, state_text: '{"count":42,"last":""}' }])
})

describe('deleted states', () => {
  it('are removed from the table and not written back from the cache of a lane', async () => {
    const [org, id, other] = [randomUUID(), randomUUID(), randomUUID()]
    const lane = newLane()
    await lane.submit(increment(org, [id, other]))
    const kind = randomUUID()
    await sql`update states set kind = ${kind} where org_id = ${org} and id = ${id}`.execute(db)
    let cursor = await sweepStates(db, [kind], new Date(NOW.getTime() + 1))
    while (cursor) cursor = await sweepStates(db, [kind], new Date(NOW.getTime() + 1), cursor)
    expect(await stored(org, id)).toBeUndefined()
    expect(await stored(org, other)).toMatchObject({ state: { count: 1 } })
    expect(await lane.submit(increment(org, [id]))).toBe(1)
  })
})
