/** Vigil behind a real PgBouncer with its default settings, except for the mode. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAddress, testDatabase } from '../../../test/database.ts'
import { openHarness, TEST_MASTER_KEY } from '../../../test/harness.ts'
import {
  type PgBouncer,
  pgBouncerProgram,
  startPgBouncer,
} from '../../../test/support/pgbouncer.ts'
import { openEngine } from '../../app/stores.ts'
import { runProgram } from '../../cli/program.ts'
import { readConfig } from '../../config.ts'
import { createLog } from '../log.ts'
import { findPooling } from './db.ts'

const shared = testDatabase()
const name = `${postgresAddress().database}_pgbouncer_${randomBytes(4).toString('hex')}`
const folder = mkdtempSync(join(tmpdir(), 'vigil-pgbouncer-data-'))
afterAll(() => rmSync(folder, { recursive: true }))

const isMissing = pgBouncerProgram === undefined
const title = isMissing ? ' (skipped, because pgbouncer is not installed)' : ''

it('without a pooler, connections are those of the server', async () => {
  const server = postgresAddress()
  expect(await findPooling({ server, prepared_statements: true })).toBe('session')
})

describe.skipIf(isMissing).each(['session', 'transaction'] as const)(
  `behind PgBouncer in %s mode${title}`,
  (mode) => {
    let pgbouncer: PgBouncer
    const database = `${name}_${mode}`
    const prepared = mode === 'session'
    const lines: string[] = []
    const environment = (db: string) => ({
      DATABASE_URL: `postgres://vigil@127.0.0.1:${pgbouncer.port}/${db}`,
      VIGIL_POSTGRES_PREPARED_STATEMENTS: String(prepared),
      VIGIL_MASTER_KEY: TEST_MASTER_KEY,
      VIGIL_DATA_DIR: folder,
    })
    const open = async (changes: Record<string, string> = {}) =>
      await openEngine({
        config: readConfig({ ...environment(postgresAddress().database), ...changes }),
        log: createLog('info', { write: (line) => void lines.push(line) }),
        data_dir: folder,
        progress: () => undefined,
        waits: true,
      })

    beforeAll(async () => {
      pgbouncer = await startPgBouncer({ pool_mode: mode })
    })
    afterAll(async () => {
      await pgbouncer.stop()
      await sql`drop database if exists ${sql.id(database)} with (force)`.execute(shared)
    })

    it('is detected', async () => {
      const { pooling, close } = await open()
      await close()
      expect(pooling).toBe(mode)
    })

    it('vigil migrate creates the tables, and leaves no lock', async () => {
      await sql`create database ${sql.id(database)}`.execute(shared)
      const printed: string[] = []
      const print = (text: string) => void printed.push(text)
      const status = await runProgram(['migrate'], {
        working_folder: folder,
        environment: environment(database),
        stdout: print,
        stderr: print,
      })
      expect({ status, first: printed[0] }).toMatchObject({ status: 0, first: /^Applied 0001/ })
      const { rows } = await sql`
        select from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = ${database})`.execute(shared)
      expect(rows).toEqual([])
    })

    it('answers concurrent requests', async () => {
      const { db, close } = await open()
      const harness = await openHarness({ db })
      try {
        const { keys } = await harness.createTenant()
        const as = { key: keys.live_secret }
        const send = async (n: number) => [
          await harness.post('/v1/check', { email: `jane-${n % 7}@example.test` }, as),
          await harness.post(
            '/v1/orders',
            { external_order_id: `o-${n}`, external_id: `c-${n % 5}`, amount_cents: 4990 },
            as,
          ),
        ]
        const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(n)))
        expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set([200]))
      } finally {
        await harness.close()
        await close()
      }
    })

    it.runIf(mode === 'session')('limits the time of statements', async () => {
      const { db, close } = await open()
      const { rows } = await sql`select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`.execute(db)
      await close()
      expect(rows).toEqual([{ statement: '30s', idle: '30s' }])
    })

    it.runIf(mode === 'transaction')('says how to limit the time of statements', async () => {
      lines.length = 0
      const { close } = await open()
      await close()
      const [{ statements } = { statements: undefined }] = lines.map(
        (line) => JSON.parse(line) as { statements?: string[] },
      )
      const { user } = postgresAddress()
      expect(statements).toEqual([
        `alter role "${user}" set idle_in_transaction_session_timeout = '30s'`,
        `alter role "${user}" set statement_timeout = '30s'`,
      ])
    })

    it.runIf(mode === 'transaction')('refuses to start with prepared statements', async () => {
      await expect(open({ VIGIL_POSTGRES_PREPARED_STATEMENTS: 'true' })).rejects.toThrow(
        'Set VIGIL_POSTGRES_PREPARED_STATEMENTS=false',
      )
    })
  },
)
