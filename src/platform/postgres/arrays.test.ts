import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { bytesArray, jsonArray, numberArray, textArray, timeArray, uuidArray } from './arrays.ts'

const db = testDatabase()

async function read(parameter: Buffer, type: string): Promise<unknown[]> {
  const { rows } = await sql<{ value: unknown }>`
    select value from unnest(${parameter}::${sql.raw(type)}[]) with ordinality as t (value, place)
    order by place`.execute(db)
  return rows.map(({ value }) => value)
}

describe('arrays in binary form', () => {
  it('are received unchanged and in order', async () => {
    const texts = ['', 'plain', 'quote " comma , brace } \\', 'null', 'žluťoučký 雪 🐎', 'a\nb\tc']
    expect(await read(textArray(texts), 'text')).toEqual(texts)
    const ids = ['01a1f71b-bc4b-740f-9d34-f764f691dc4c', 'FFFFFFFF-0000-7FFF-8000-0123456789AB']
    expect(await read(uuidArray(ids), 'uuid')).toEqual(ids.map((id) => id.toLowerCase()))
    const numbers = [0, -1, 0.1, 2 ** 53 - 1, 1e-300]
    expect(await read(numberArray(numbers), 'float8')).toEqual(numbers)
    const times = [
      '1969-12-31T23:59:59.999Z',
      '2000-01-01T00:00:00.000Z',
      '2026-11-20T03:59:12.459Z',
    ]
    const dates = times.map((time) => new Date(time))
    expect(await read(timeArray(dates), 'timestamptz')).toEqual(dates)
    const documents = [{ a: [1, 'ü'] }, 'text', null]
    const json = jsonArray(documents.map((document) => JSON.stringify(document)))
    expect(await read(json, 'json')).toEqual(documents)
    const bytes = [Buffer.alloc(0), Buffer.from([0, 255, 92, 34]), Buffer.from('ü')]
    expect(await read(bytesArray(bytes), 'bytea')).toEqual(bytes)
  })

  it('can be empty', async () => {
    const empty = new Map([
      ['uuid', uuidArray([])],
      ['text', textArray([])],
      ['json', jsonArray([])],
      ['bytea', bytesArray([])],
      ['timestamptz', timeArray([])],
      ['float8', numberArray([])],
    ])
    for (const [type, parameter] of empty) expect(await read(parameter, type)).toEqual([])
  })
})
