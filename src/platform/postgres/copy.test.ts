/** Rows from one connection to another, through streams that are slower than the server. */
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAddress } from '../../../test/database.ts'
import { openConnection } from './connection.ts'
import { copyIn, copyOut, writeRowsTo } from './copy.ts'

type Connection = Awaited<ReturnType<typeof openConnection>>
let source: Connection
let target: Connection

beforeAll(async () => {
  source = await openConnection(postgresAddress(), 'copy-test')
  target = await openConnection(postgresAddress(), 'copy-test')
  await target.query('create temporary table copied (id int primary key, note text)')
})
afterAll(async () => await Promise.all([source.end(), target.end()]))

const ROWS = 20_000
const SELECT = `copy (select n, repeat('n', 40) from generate_series(1, ${ROWS}) n) to stdout`

describe('rows that are copied through a stream', () => {
  it('all arrive, and those that wait share one listener', async () => {
    const warnings: string[] = []
    const onWarning = ({ name }: Error) => void warnings.push(name)
    process.on('warning', onWarning)
    const rows = new PassThrough({ highWaterMark: 1000 })
    const reading = copyOut(source, SELECT, writeRowsTo(rows)).then((count) => {
      rows.end()
      return count
    })
    const copying = copyIn(target, 'copy copied from stdin', rows)
    expect(await Promise.all([reading, copying])).toEqual([ROWS, ROWS])
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
    const found = await target.query(
      `select count(*)::int as rows, sum(id)::int as sum from copied`,
    )
    expect(found.rows).toEqual([{ rows: ROWS, sum: (ROWS * (ROWS + 1)) / 2 }])
  })

  it('end with the error of a stream that fails while they wait', async () => {
    const client = await openConnection(postgresAddress(), 'copy-test')
    const rows = new PassThrough({ highWaterMark: 1000 })
    rows.on('error', () => undefined)
    const reading = copyOut(client, SELECT, writeRowsTo(rows))
    rows.once('readable', () => rows.destroy(new Error('the disk is full')))
    await expect(reading).rejects.toThrow('the disk is full')
    await client.end().catch(() => undefined)
  })
})
