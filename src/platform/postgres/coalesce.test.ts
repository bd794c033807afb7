import { Pool } from 'pg'
import { afterAll, describe, expect, inject, it, vi } from 'vitest'
import { coalesceWrites } from './coalesce.ts'

describe('statements of one turn', () => {
  // The types of pg lack `pipeline`.
  const pool = new Pool(Object.assign({ max: 1, pipeline: true }, inject('postgres')))
  coalesceWrites(pool)
  afterAll(async () => await pool.end())

  it('are sent in one write and all answered', async () => {
    const client = await pool.connect()
    const { stream } = (client as unknown as { connection: { stream: { _writev: unknown } } })
      .connection
    const write = vi.spyOn(stream as { _writev: () => void }, '_writev')
    const answers = await Promise.all(
      [1, 2, 3].map((n) => client.query('select $1::int as n', [n])),
    )
    expect(answers.map(({ rows }) => rows as unknown)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]])
    expect(write).toHaveBeenCalledTimes(1)
    write.mockRestore()
    client.release()
  })
})
