import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { createFront } from './front.ts'

/** Sends a plain HTTP request, without the client library. */
async function send(
  search: Record<string, string>,
  init: { body?: string | Buffer; headers?: Record<string, string>; path?: string } = {},
) {
  const { url, username, password } = inject('clickhouse')
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const { body, path = '/' } = init
  const response = await fetch(`${url}${path}?${new URLSearchParams(search).toString()}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization, ...init.headers },
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  })
  const { status, headers } = response
  return { status, headers, text: await response.text() }
}

describe('access', () => {
  it.each([
    ['a wrong password', { authorization: `Basic ${Buffer.from('vigil:no').toString('base64')}` }],
    ['no password', { authorization: '' }],
  ])('is denied with %s', async (_what, headers) => {
    const answer = await send({ query: 'select 1' }, { headers })
    expect(answer).toMatchObject({ status: 403 })
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe('516')
    expect(answer.text).toMatch(
      /^Code: 516\. DB::Exception: .* \(AUTHENTICATION_FAILED\) \(version \d+\.\d+/,
    )
  })

  it('to /ping needs no credentials, but refuses wrong ones', async () => {
    const ping = async (authorization: string) =>
      await send({}, { path: '/ping', headers: { authorization } })
    expect(await ping('')).toMatchObject({ status: 200, text: 'Ok.\n' })
    expect(await ping('Basic eDp5')).toMatchObject({ status: 403 })
  })
})

describe('a response', () => {
  it('has the format of the query, of the URL, or tab-separated columns', async () => {
    expect((await send({ query: "select 1, 'a\tb'" })).text).toBe('1\ta\\tb\n')
    expect((await send({ query: 'select 1 as a', default_format: 'JSONEachRow' })).text).toBe(
      '{"a":1}\n',
    )
    expect((await send({}, { body: 'select 1 as a format CSVWithNames' })).text).toBe('"a"\n1\n')
  })

  it('has the query id and the number of rows read', async () => {
    const { headers } = await send({ query: 'select * from numbers(10)', query_id: 'mine' })
    expect(headers.get('x-clickhouse-query-id')).toBe('mine')
    expect(JSON.parse(headers.get('x-clickhouse-summary') ?? '')).toMatchObject({ read_rows: '10' })
  })

  it('is compressed on request', async () => {
    const search = { query: 'select 1', enable_http_compression: '1' }
    const answer = await send(search, { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.text).toBe('1\n')
    const plain = await send(search, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
  })

  it('is an error for several statements', async () => {
    expect(await send({ query: 'select 1; select 2' })).toMatchObject({ status: 400 })
  })
})

describe('settings in the URL', () => {
  const setting = async (search: Record<string, string>) =>
    (await send({ query: "select getSetting('max_block_size')", ...search })).text

  it('apply to their request only', async () => {
    const before = await setting({})
    for (let round = 0; round < 6; round += 1) {
      expect(await setting({ max_block_size: '1234' })).toBe('1234\n')
      expect(await setting({})).toBe(before)
    }
  })

  it('that are unknown fail their request and have no effect on later ones', async () => {
    const before = await setting({})
    for (let round = 0; round < 6; round += 1) {
      const answer = await send({ query: 'select 1', max_block_size: '77', nonsense: '1' })
      expect(answer.headers.get('x-clickhouse-exception-code')).toBe('115')
      expect(await setting({})).toBe(before)
    }
  })

  it('cannot be set for later requests by a statement either', async () => {
    const before = await setting({})
    for (let round = 0; round < 6; round += 1) await send({}, { body: 'SET max_block_size = 99' })
    for (let round = 0; round < 6; round += 1) expect(await setting({})).toBe(before)
  })
})

describe('rows of an insert', () => {
  it('are accepted in the body: raw, compressed, after the statement, or as values', async () => {
    const { database } = inject('clickhouse')
    const table = 'front_rows'
    const run = async (body: string) =>
      expect(await send({ database }, { body })).toMatchObject({ status: 200 })
    await run(`create table if not exists ${table} (a UInt8) engine = Memory`)
    await run(`truncate table ${table}`)
    const insert = { query: `INSERT INTO ${table} FORMAT JSONEachRow`, database }
    const raw = await send(insert, { body: '{"a":1}\n' })
    expect(JSON.parse(raw.headers.get('x-clickhouse-summary') ?? '')).toMatchObject({
      written_rows: '1',
    })
    const headers = { 'content-encoding': 'gzip' }
    expect(await send(insert, { body: gzipSync('{"a":2}\n'), headers })).toMatchObject({
      status: 200,
    })
    await run(`INSERT INTO ${table} FORMAT JSONEachRow\n{"a":3}`)
    await run(`INSERT INTO ${table} VALUES (4)`)
    const values = { query: `INSERT INTO ${table} VALUES`, database }
    expect(await send(values, { body: '(5), (6)' })).toMatchObject({ status: 200 })
    const all = await send({ database, query: `select groupArraySorted(9)(a) from ${table}` })
    expect(all.text).toBe('[1,2,3,4,5,6]\n')
    const broken = await send(insert, { body: 'no gzip', headers })
    expect(broken.status).toBe(500)
    await run(`drop table ${table}`)
  })
})

describe('a backup', () => {
  it('is written while the engine runs and can be restored', async () => {
    const { database } = inject('clickhouse')
    const run = async (body: string) => {
      const answer = await send({ database }, { body })
      expect(answer).toMatchObject({ status: 200 })
      return answer.text
    }
    await run('create table kept (a UInt8) engine = MergeTree order by a')
    await run('insert into kept values (7)')
    expect(await run("backup table kept to File('front-test')")).toContain('BACKUP_CREATED')
    await run('drop table kept sync')
    await run("restore table kept from File('front-test')")
    expect(await run('select a from kept')).toBe('7\n')
    await run('drop table kept')
    const elsewhere = await send(
      { database },
      { body: "backup table rum_events to File('/elsewhere/x')" },
    )
    expect(elsewhere.status).toBeGreaterThanOrEqual(400)
  })
})

describe('an unfinished request', () => {
  it.each([
    ['is a query only while its client is connected', 'select 1', 0],
    ['is an insert even if its client has disconnected', 'insert into t values (1)', 1],
  ])('%s', async (_what, query, unfinished) => {
    const endless = { run: async () => await new Promise<never>(() => {}), close: () => {} }
    const front = createFront({
      credentials: { username: 'u', password: 'p' },
      version: '1',
      queries: [endless],
      inserts: [endless],
      memory: { admit: () => Promise.resolve(), tidy: () => Promise.resolve('fine') },
      onBroken: () => {},
    })
    onTestFinished(() => void front.server.close())
    await new Promise<void>((resolve) => front.server.listen(0, '127.0.0.1', resolve))
    const { port } = front.server.address() as AddressInfo
    const leaving = new AbortController()
    const search = new URLSearchParams({ query, user: 'u', password: 'p' }).toString()
    const pending = fetch(`http://127.0.0.1:${port}/?${search}`, { signal: leaving.signal })
    await vi.waitFor(
      () => expect([front.busy(), front.unfinished()]).toEqual([1, unfinished + 1]),
      10_000,
    )
    leaving.abort()
    await expect(pending).rejects.toThrow()
    await vi.waitFor(
      () => expect([front.busy(), front.unfinished()]).toEqual([1, unfinished]),
      10_000,
    )
  })
})
