import { describe, expect, it } from 'vitest'
import { isSame, readRawInsert, readRequest, refuseSeveral } from './request.ts'

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

describe('a request', () => {
  it('separates settings and parameters from everything else', () => {
    const url =
      '/?query=select+1&database=d&default_format=JSON&query_id=q&param_a=x%27&max_threads=3&wait_end_of_query=1'
    const request = readRequest(url, {})
    expect(request).toMatchObject({ query: 'select 1', database: 'd', query_id: 'q' })
    expect([...request.settings]).toEqual([['max_threads', '3']])
    expect([...request.parameters]).toEqual([['a', "x'"]])
  })

  it.each([
    ['session_id', '/?session_id=x', 48],
    ['an invalid format name', '/?default_format=JSON;', 115],
    ['an invalid setting name', '/?a%20b=1', 115],
  ])('with %s is refused', (_what, url, code) => {
    expect(() => readRequest(url, {})).toThrow(expect.objectContaining({ code }))
  })

  it.each([
    ['in the Authorization header', '/', basic('u:p:q')],
    ['in the headers of ClickHouse', '/', { 'x-clickhouse-user': 'u', 'x-clickhouse-key': 'p:q' }],
    ['in the URL', '/?user=u&password=p:q', {}],
  ])('has its credentials %s', (_how, url, headers) => {
    const { credentials } = readRequest(url, headers)
    expect(credentials).toEqual({ username: 'u', password: 'p:q' })
    expect(isSame(credentials, { username: 'u', password: 'p:q' })).toBe(true)
    expect(isSame(credentials, { username: 'u:p', password: 'q' })).toBe(false)
    expect(isSame(undefined, { username: 'u', password: 'p:q' })).toBe(false)
  })
})

describe('an insert of raw rows', () => {
  it.each([
    ['INSERT INTO t FORMAT JSONEachRow', { table: 't', columns: [], format: 'JSONEachRow' }],
    [
      'insert into table `d`.`t` (a, `b`)\nformat CSV;',
      { table: 'd.t', columns: ['a', 'b'], format: 'CSV' },
    ],
  ])('is %s', (sql, expected) => expect(readRawInsert(sql)).toEqual(expected))

  it.each([
    'insert into t values (1)',
    'insert into t select 1',
    'insert into t settings async_insert=1 format JSONEachRow',
    'insert into t format Parquet',
    'insert into {t:Identifier} format JSONEachRow',
  ])('is not %s', (sql) => expect(readRawInsert(sql)).toBeUndefined())
})

describe('a single statement', () => {
  it.each(['select 1', 'select 1;', "select ';'; -- end", 'select 1 ; /* ; */ '])(
    'is accepted: %s',
    (sql) => expect(() => refuseSeveral(sql)).not.toThrow(),
  )

  it.each(['select 1; select 2', "select 1; 'x'", 'select 1;; drop table t'])(
    'is required: %s',
    (sql) => expect(() => refuseSeveral(sql)).toThrow('Multi-statements'),
  )
})
