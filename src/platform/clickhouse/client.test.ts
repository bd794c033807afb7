import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { createLog } from '../log.ts'
import { type ClickHouse, type ClickHouseAddress, createClickHouse } from './client.ts'
import { EngineRefusal, EngineUnavailable } from './errors.ts'

const connect = (address: ClickHouseAddress, timeout_ms = 15_000): ClickHouse =>
  createClickHouse({
    address: () => Promise.resolve(address),
    timeout_ms,
    log: createLog('fatal'),
  })

const table = `client_${randomUUID().replaceAll('-', '')}`
let clickhouse: ClickHouse
beforeAll(async () => {
  clickhouse = connect(inject('clickhouse'))
  await clickhouse.command(`
    create table ${table} (id UInt64, day Date default '2025-01-01', text String)
    engine = MergeTree partition by day order by id
    settings non_replicated_deduplication_window = 100`)
})
afterAll(async () => {
  await clickhouse.command(`drop table ${table}`)
  await clickhouse.close()
})

const line = (row: unknown) => Buffer.from(`${JSON.stringify(row)}\n`)
const signal = () => AbortSignal.timeout(20_000)
const count = async (text: string) => {
  const sql = `select count() as n, uniq(_part) as parts from ${table} where text = {text:String}`
  return (await clickhouse.query<{ n: number; parts: number }>(sql, { text }))[0]
}

describe('a query', () => {
  it('returns rows with 64-bit integers as numbers', async () => {
    const rows = await clickhouse.query(
      'select number as n, toInt64(-5) as i, null as nothing from numbers(2) order by n desc -- end',
    )
    expect(rows).toEqual([
      { n: 1, i: -5, nothing: null },
      { n: 0, i: -5, nothing: null },
    ])
    expect(await clickhouse.query('select 1 where 0')).toEqual([])
  })

  it('returns any text parameter unchanged, alone and in lists', async () => {
    const nasty = fc.string({
      unit: fc.constantFrom(...Array.from('\'"`\\{}:;%\t\r\n\0\b/NaT,[]() é漢😀')),
    })
    const text = fc.oneof(nasty, fc.string({ unit: anyCharacter }), fc.constant(String.raw`\N`))
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { maxLength: 4 }), async (one, many) => {
        const sql = `select {one:String} as one, {many:Array(String)} as many,
          {one:LowCardinality(String)} as low, {one:Nullable(String)} as maybe, '{one:String}' as none`
        const rows = await clickhouse.query(sql, { one, many })
        expect(rows).toEqual([{ one, many, low: one, maybe: one, none: '{one:String}' }])
      }),
      { numRuns: 60 },
    )
  })

  it('accepts parameters of all types that this program uses', async () => {
    const id = randomUUID()
    const rows = await clickhouse.query(
      `select {id:UUID} as id, {n:Int64} as n, {f:Float64} as f, {b:Bool} as b,
         {m:Enum8('live' = 1, 'test' = 2)} as m, {d:Date} as d,
         toUnixTimestamp64Milli({at:DateTime64(3, 'UTC')}) as at,
         {ids:Array(UUID)} as ids, {none:Nullable(Int64)} as none
       limit {limit:UInt32} offset {offset:UInt32}`,
      {
        id,
        n: -9_007_199_254_740_991,
        f: 0.1,
        b: true,
        m: 'test',
        d: '2025-02-03',
        at: new Date(1_700_000_000_123),
        ids: [id],
        none: null,
        limit: 1,
        offset: 0,
      },
    )
    const n = -9_007_199_254_740_991
    const at = 1_700_000_000_123
    const d = '2025-02-03'
    expect(rows).toEqual([{ id, n, f: 0.1, b: true, m: 'test', d, at, ids: [id], none: null }])
  })

  it('is refused with the code of the engine', async () => {
    const refused = async (sql: string) =>
      await clickhouse.query(sql).then(
        () => undefined,
        (error: unknown) => (error instanceof EngineRefusal ? error.code : error),
      )
    expect(await refused('select nonsense')).toBe(47)
    expect(await refused('select from where')).toBe(62)
    expect(await refused('select * from nowhere')).toBe(60)
    expect(await refused('select {a:UInt8}')).toBe(456)
    expect(await refused('select throwIf(number = 3) from numbers(5)')).toBe(395)
  })

  it('that needs too much memory is refused as transient', async () => {
    const greedy =
      'select length(groupArray(number)) from numbers(50000000) settings max_memory_usage = 30000000'
    const error = await clickhouse.query(greedy).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 241, is_transient: true })
    expect(await clickhouse.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('ends at its time limit in the client and in the engine', async () => {
    const slow = clickhouse.query('select sleep(3)', {}, { timeout_ms: 200 })
    await expect(slow).rejects.toThrow(EngineUnavailable)
    // The engine cancels it as well, or these queries would have to wait for it.
    const many = Array.from({ length: 8 }, () =>
      clickhouse.query('select sleepEachRow(0.2) from numbers(100)', {}, { timeout_ms: 100 }),
    )
    expect(new Set((await Promise.allSettled(many)).map(({ status }) => status))).toEqual(
      new Set(['rejected']),
    )
    expect(await clickhouse.query('select 1 as one', {}, { timeout_ms: 5000 })).toHaveLength(1)
  })

  it('runs concurrently with others, each with its own parameters', async () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index)
    const rows = await Promise.all(
      numbers.map((n) => clickhouse.query<{ n: number }>('select {n:UInt8} as n', { n })),
    )
    expect(rows.map(([row]) => row?.n)).toEqual(numbers)
  })
})

describe('an insert', () => {
  it('is one block, regardless of its number of pieces', async () => {
    const text = 'x'.repeat(600)
    const lines = Array.from({ length: 20_000 }, (_, id) => line({ id, text }))
    await clickhouse.insert(table, lines, 'large', signal())
    expect(await count(text)).toEqual({ n: 20_000, parts: 1 })
  })

  it('with a token that was used inserts nothing', async () => {
    const rows = [line({ id: 1, text: 'token' })]
    await clickhouse.insert(table, rows, 'token-1', signal())
    await clickhouse.insert(table, rows, 'token-1', signal())
    expect(await count('token')).toMatchObject({ n: 1 })
    await clickhouse.insert(table, rows, 'token-2', signal())
    expect(await count('token')).toMatchObject({ n: 2 })
  })

  it('is refused as a whole if a row does not fit the table', async () => {
    const rows = [line({ id: 1, text: 'half' }), line({ id: 2, text: 'half', other: 1 })]
    await expect(clickhouse.insert(table, rows, 'half', signal())).rejects.toMatchObject({
      code: 117,
      is_transient: false,
    })
    expect(await count('half')).toMatchObject({ n: 0 })
  })

  it('ends when its signal is aborted', async () => {
    const rows = [line({ id: 1, text: 'late' })]
    await expect(
      clickhouse.insert(table, rows, 'late', AbortSignal.abort(new Error('stop'))),
    ).rejects.toThrow('stop')
    expect(await count('late')).toMatchObject({ n: 0 })
  })
})

describe('the handle', () => {
  it('reports whether the engine answers and accepts the account', async () => {
    expect(await clickhouse.ping()).toBe(true)
    const stranger = connect({ ...inject('clickhouse'), password: 'wrong' })
    expect(await stranger.ping()).toBe(false)
    await expect(stranger.query('select 1')).rejects.toMatchObject({
      code: 516,
      is_transient: true,
    })
    await stranger.close()
  })

  it('treats refused connections, stalled and foreign responses as an unavailable engine', async () => {
    const expectUnavailable = async (listener: RequestListener, timeout_ms = 5000) => {
      const handle = connect(await fakeEngine(listener), timeout_ms)
      await expect(handle.query('select 1')).rejects.toThrow(EngineUnavailable)
      expect(await handle.ping()).toBe(false)
      await handle.close()
    }
    await expectUnavailable((request) => request.socket.destroy())
    await expectUnavailable((_, response) =>
      response.writeHead(502).end('<html>Bad gateway</html>'),
    )
    await expectUnavailable((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('{"a":'), 20)
      response.once('close', () => clearInterval(timer))
    }, 300)
    const gone = connect({ ...inject('clickhouse'), url: 'http://127.0.0.1:1' })
    await expect(gone.command('select 1')).rejects.toThrow(EngineUnavailable)
  })
})

it('names the organization for quotas, and the replicas that an insert waits for', async () => {
  const seen: (string | string[] | undefined)[] = []
  const address = await fakeEngine((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://engine')
    seen.push(request.headers['x-clickhouse-quota'], searchParams.get('insert_quorum') ?? undefined)
    request.resume().once('end', () => response.end())
  })
  for (const insert_quorum of [undefined, 'auto']) {
    const handle = createClickHouse({
      address: () => Promise.resolve(address),
      timeout_ms: 5000,
      log: createLog('fatal'),
      insert_quorum,
    })
    await handle.query('select 1', { org_id: 'a' })
    await handle.query('select 1')
    await handle.insert('t', [line({})], 'token', signal())
    await handle.close()
  }
  const queries = ['a', undefined, undefined, undefined]
  expect(seen).toEqual([...queries, undefined, undefined, ...queries, undefined, 'auto'])
})

async function fakeEngine(listener: RequestListener): Promise<ClickHouseAddress> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, username: 'u', password: 'p', database: 'd' }
}
