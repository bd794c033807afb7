/** How the stores of a service open when their PostgreSQL is not ready for them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postgresAddress } from '../../test/database.ts'
import { type Relay, startRelay } from '../../test/support/relay.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import { pingDatabase } from '../platform/postgres/db.ts'
import { openEngine } from './stores.ts'

let folder = ''
let relay: Relay
let lines: string[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-stores-'))
  relay = await startRelay()
  lines = []
})
afterEach(() => {
  relay.close()
  rmSync(folder, { recursive: true })
})

/** @param wait_seconds how long to wait for the server */
const open = async (wait_seconds: number, change: { user?: string; database?: string } = {}) => {
  const { user, database } = { ...postgresAddress(), ...change }
  const url = `postgres://${user}:hunter2@127.0.0.1:${relay.port}/${database}`
  const log = createLog('info', { write: (line) => void lines.push(line) })
  return await openEngine({
    config: readConfig({
      DATABASE_URL: url,
      VIGIL_POSTGRES_WAIT_SECONDS: String(wait_seconds),
    }),
    log,
    data_dir: folder,
    progress: () => undefined,
    waits: true,
  })
}

describe('a start while PostgreSQL is down', () => {
  it('waits until it accepts connections, and logs what it waits for', async () => {
    const opening = open(60)
    await expect.poll(() => relay.refused(), { interval: 5 }).toBeGreaterThan(1)
    relay.open()
    const { db, close } = await opening
    await pingDatabase(db)
    await close()
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
    expect(messages).toEqual(['waiting for PostgreSQL', 'PostgreSQL accepts connections'])
    expect(lines[0]).toContain(`127.0.0.1:${relay.port}/${postgresAddress().database}`)
    expect(lines.join('')).not.toContain('hunter2')
  })

  it('fails with the reason when the time is up', async () => {
    await expect(open(0)).rejects.toThrow(/^The database of DATABASE_URL cannot be used: .*termin/)
    expect(relay.refused()).toBe(1)
  })
})

describe('a start that PostgreSQL refuses', () => {
  it.each([
    ['database', { database: 'no_such_database' }],
    ['role', { user: 'no_such_role' }],
  ])('because of a missing %s fails without a wait', async (what, change) => {
    relay.open()
    await expect(open(3600, change)).rejects.toThrow(`${what} "no_such_${what}" does not exist`)
    expect(lines).toEqual([])
  })
})
