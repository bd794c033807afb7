import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { openDatabase } from './db.ts'
import { startEmbeddedPostgres } from './embedded/server.ts'
import { listStandbyLag } from './figures.ts'

const folders = {
  primary: mkdtempSync(join(tmpdir(), 'vigil-primary-')),
  standby: mkdtempSync(join(tmpdir(), 'vigil-standby-')),
}
const closers: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true })
})

const start = async (name: keyof typeof folders) => {
  const server = await startEmbeddedPostgres({
    data_dir: folders[name],
    progress: () => undefined,
    settings: ['fsync=off'],
  })
  const close = async () => {
    server.release()
    await server.stopped()
  }
  return { ...server, close }
}

it('the lag of a standby is shown under its name', async () => {
  const first = await start('primary')
  await first.close()
  // A copy of a stopped server becomes its standby.
  execFileSync('cp', ['-a', join(folders.primary, 'postgres'), folders.standby])
  const { host, port, user } = first.address
  const copy = join(folders.standby, 'postgres')
  writeFileSync(join(copy, 'standby.signal'), '')
  const conninfo = `host=${host} port=${port} user=${user} application_name=reserve`
  appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
  const primary = await start('primary')
  closers.push(primary.close)
  const options = { pool_size: 2, prepared_statements: true, log: createLog('silent') }
  const db = openDatabase({ ...options, server: primary.address })
  closers.push(() => db.destroy())
  expect(await listStandbyLag(db)).toEqual([])
  const standby = await start('standby')
  closers.push(standby.close)
  await sql`create table t as select 1 as n`.execute(db)
  await expect
    .poll(() => listStandbyLag(db), { timeout: 20_000 })
    .toEqual([{ name: 'reserve', bytes: 0, seconds: expect.any(Number) as number }])
})
